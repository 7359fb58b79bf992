import { Turnkey } from "@turnkey/sdk-server"
import { explain, fail, need } from "../development-values.ts"

/** Ways to log in of the page, as the auth proxy's settings name them. */
const METHODS = ["email", "passkey", "oidc"]

type Configuration = { authProxyConfig: { settings?: { allowedAuthMethods?: string[] } } }
type Features = { configs: { features?: { name: string }[] } }

/** Switches on what the page needs in organization Dev: codes by e-mail, and other issuers than the social logins. */
export async function prepareOrganization(): Promise<void> {
  const organizationId = need("ORGANIZATION_ID")
  const client = new Turnkey({
    apiBaseUrl: need("BASE_URL"),
    apiPublicKey: need("API_PUBLIC_KEY"),
    apiPrivateKey: need("API_PRIVATE_KEY"),
    defaultOrganizationId: organizationId,
  }).apiClient()
  await client.getWhoami().catch(explain)
  if (need("AUTH_PROXY_CONFIG_ID") === "")
    fail("organization Dev has no auth proxy: enable it with enable_auth_proxy, and run npm start again")

  const query = (name: string) => client.request(`/public/v1/query/${name}`, { organizationId })
  const submit = (path: string, type: string, parameters: object) =>
    client.request(`/public/v1/submit/${path}`, {
      type: `ACTIVITY_TYPE_${type}`,
      timestampMs: String(Date.now()),
      organizationId,
      parameters,
    })

  const { configs } = (await query("get_organization_configs")) as Features
  const name = "FEATURE_NAME_OTP_EMAIL_AUTH"
  if (!configs.features?.some((feature) => feature.name === name))
    await submit("set_organization_feature", "SET_ORGANIZATION_FEATURE", { name, value: "" })

  const { authProxyConfig } = (await query("get_auth_proxy_config")) as Configuration
  const allowed = authProxyConfig.settings?.allowedAuthMethods ?? []
  const allowedAuthMethods = [...new Set([...allowed, ...METHODS])]
  if (allowedAuthMethods.length > allowed.length)
    await submit("update_auth_proxy_config", "UPDATE_AUTH_PROXY_CONFIG", { allowedAuthMethods })
}
