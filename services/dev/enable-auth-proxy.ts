import { type ApiClient, activityBody, query, type Querying, submit } from "../terminal-client/api-client.ts"
import { CliError } from "../terminal-client/exit.ts"

type Configuration = { configId: string; enabled: boolean }

/**
 * Enables the auth proxy for an organization that never had it. Returns the configuration's id. Undefined if the proxy is
 * disabled, or if the API refuses, which is logged: an organization's rules may have changed since its first start.
 */
export async function enableAuthProxy(
  client: ApiClient,
  organizationId: string,
  log: (line: string) => void,
): Promise<string | undefined> {
  try {
    const known = await configurationOf({ client, organizationId }).catch(ifNone)
    if (known !== undefined) return known.enabled ? known.configId : undefined
    const body = activityBody("ACTIVITY_TYPE_ENABLE_AUTH_PROXY", organizationId, {})
    await submit(client, "enable_auth_proxy", body)
    return (await configurationOf({ client, organizationId })).configId
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    log(`the auth proxy is not enabled for organization Dev: ${error.message}`)
    return undefined
  }
}

async function configurationOf(querying: Querying): Promise<Configuration> {
  const reply = await query<{ authProxyConfig: Configuration }>(querying, "get_auth_proxy_config")
  return reply.authProxyConfig
}

/** Nothing for an organization without a configuration. @throws every other error */
function ifNone(error: unknown): undefined {
  if (error instanceof CliError && error.reason === "RESOURCE_UNKNOWN") return undefined
  throw error
}
