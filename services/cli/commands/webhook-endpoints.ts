import { activityBody, type ApiClient, post, submit } from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import { printResult, type Terminal } from "../terminal.ts"

/** Context of the webhook commands. */
export type WebhookContext = { client: ApiClient; organizationId: string; terminal: Terminal }

export type EndpointOptions = {
  url?: string
  name?: string
  pause?: true
  resume?: true
  event?: string[]
  json?: boolean
}

type Output = { json?: boolean }

export type Endpoint = {
  endpointId: string
  name: string
  url: string
  isActive: boolean
  subscriptions: { eventType: string }[]
}

/** The URL of FEATURE_NAME_WEBHOOK, as operations on deliveries name it. */
const FEATURE = { name: "feature", endpointId: "00000000-0000-0000-0000-000000000000" }

export async function createEndpoint(url: string, options: EndpointOptions, context: WebhookContext) {
  const { name = url, event = ["ACTIVITY_UPDATES"] } = options
  const subscriptions = event.map((eventType) => ({ eventType: eventType.toUpperCase() }))
  const result = await change("create_webhook_endpoint", { name, url, subscriptions }, context)
  print(result["webhookEndpoint"] as Endpoint, options, context)
}

export async function listEndpoints(options: Output, context: WebhookContext) {
  const endpoints = await endpointsOf(context)
  if (options.json) return printResult(context.terminal, { webhookEndpoints: endpoints }, options)
  if (endpoints.length === 0) context.terminal.log("no endpoint; countersign webhook create URL adds one")
  for (const endpoint of endpoints) context.terminal.print(lineOf(endpoint))
}

export async function showEndpoint(name: string, options: Output, context: WebhookContext) {
  const { endpointId } = await findEndpoint(name, context)
  const endpoint = (await endpointsOf(context)).find((one) => one.endpointId === endpointId)
  if (endpoint === undefined)
    throw new CliError(ExitCode.usage, "the feature's URL is in get_organization_configs")
  printResult(context.terminal, endpoint, options)
}

/** @throws {CliError} usage: nothing to change */
export async function updateEndpoint(name: string, options: EndpointOptions, context: WebhookContext) {
  const { url, name: newName, pause, resume } = options
  if (pause && resume) throw new CliError(ExitCode.usage, "--pause and --resume exclude each other")
  const changes = {
    ...(url !== undefined && { url }),
    ...(newName !== undefined && { name: newName }),
    ...((pause || resume) && { isActive: resume === true }),
  }
  if (Object.keys(changes).length === 0)
    throw new CliError(ExitCode.usage, "nothing to change: use --url, --name, --pause or --resume")
  const { endpointId } = await findEndpoint(name, context)
  const result = await change("update_webhook_endpoint", { endpointId, ...changes }, context)
  print(result["webhookEndpoint"] as Endpoint, options, context)
}

export async function deleteEndpoint(name: string, options: Output, context: WebhookContext) {
  const { endpointId } = await findEndpoint(name, context)
  const result = await change("delete_webhook_endpoint", { endpointId }, context)
  if (options.json) printResult(context.terminal, result, options)
  else context.terminal.print(`deleted ${endpointId}`)
}

/**
 * The endpoint with this id, prefix of an id, or name; `feature` for the URL of FEATURE_NAME_WEBHOOK.
 * @throws {CliError} usage: none fits, or several do
 */
export async function findEndpoint(name: string, context: WebhookContext): Promise<{ endpointId: string }> {
  if (name === FEATURE.name || name === FEATURE.endpointId) return FEATURE
  const endpoints = await endpointsOf(context)
  const exact = endpoints.filter((one) => one.endpointId === name.toLowerCase() || one.name === name)
  const found =
    exact.length > 0 ? exact : endpoints.filter((one) => one.endpointId.startsWith(name.toLowerCase()))
  const [endpoint] = found
  if (endpoint === undefined)
    throw new CliError(ExitCode.usage, [
      `no webhook endpoint is ${name}; there are:`,
      ...endpoints.map(lineOf),
    ])
  if (found.length > 1)
    throw new CliError(ExitCode.usage, [
      `${name} is several webhook endpoints; use an id:`,
      ...found.map(lineOf),
    ])
  return endpoint
}

/** Sends an activity and returns its result. @throws {CliError} */
export function change(path: string, parameters: object, { client, organizationId }: WebhookContext) {
  return submit(client, path, activityBody(`ACTIVITY_TYPE_${path.toUpperCase()}`, organizationId, parameters))
}

async function endpointsOf({ client, organizationId }: WebhookContext): Promise<Endpoint[]> {
  const path = "/public/v1/query/list_webhook_endpoints"
  const reply = (await post(client, path, JSON.stringify({ organizationId }))) as {
    webhookEndpoints: Endpoint[]
  }
  return reply.webhookEndpoints
}

function print(endpoint: Endpoint, options: Output, { terminal }: WebhookContext): void {
  if (options.json) printResult(terminal, endpoint, options)
  else terminal.print(lineOf(endpoint))
}

function lineOf({ endpointId, name, url, isActive, subscriptions }: Endpoint): string {
  const events = subscriptions.map(({ eventType }) => eventType).join(", ")
  return [endpointId, isActive ? "active" : "paused", name, ...(name === url ? [] : [url]), events].join("  ")
}
