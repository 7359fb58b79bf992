import { type ActivityJson, type Querying, query } from "../../terminal-client/api-client.ts"
import {
  type ChangeOptions,
  receiptOf,
  resultOf,
  submitChange,
} from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { usage } from "../../terminal-client/exit.ts"
import { Directory } from "../../terminal-client/names/resolve.ts"
import { printResult } from "../../terminal-client/terminal.ts"

export type EndpointOptions = ChangeOptions & {
  url?: string
  name?: string
  pause?: true
  resume?: true
  event?: string[]
  address?: string[]
}

type Output = { json?: boolean }

export type Endpoint = {
  endpointId: string
  name: string
  url: string
  isActive: boolean
  subscriptions: { eventType: string; filtersJson?: string }[]
}

/** The URL of FEATURE_NAME_WEBHOOK, as operations on deliveries name it. */
const FEATURE = { name: "feature", endpointId: "00000000-0000-0000-0000-000000000000" }

/** @throws {CliError} usage: addresses without events of balances, or such events without addresses */
export async function createEndpoint(url: string, options: EndpointOptions, context: Stamping) {
  const { name = url, event = ["ACTIVITY_UPDATES"], address: addresses = [] } = options
  const eventTypes = event.map((one) => one.toUpperCase())
  if (addresses.length > 0 !== eventTypes.some(isOfBalances))
    throw usage("--event balance_confirmed_updates or balance_finalized_updates and --address go together")
  const filtersJson = JSON.stringify({ addresses })
  const subscriptions = eventTypes.map((eventType) => ({
    eventType,
    ...(isOfBalances(eventType) && { filtersJson }),
  }))
  const parameters = { name, url, subscriptions }
  const activity = await submitWebhookChange("create_webhook_endpoint", parameters, options, context)
  if (activity !== undefined) printChange(activity, () => lineOf(endpointOf(activity)), options, context)
}

export async function listEndpoints(options: Output, context: Stamping) {
  const endpoints = await endpointsOf(context)
  if (options.json) return printResult(context.terminal, { webhookEndpoints: endpoints }, options)
  if (endpoints.length === 0) context.terminal.log("no endpoint; countersign webhook create URL adds one")
  for (const endpoint of endpoints) context.terminal.print(lineOf(endpoint))
}

export async function showEndpoint(name: string, options: Output, context: Stamping) {
  const { endpointId } = await findEndpoint(name, context)
  const endpoint = (await endpointsOf(context)).find((one) => one.endpointId === endpointId)
  if (endpoint === undefined) throw usage("the feature's URL is in get_organization_configs")
  printResult(context.terminal, endpoint, options)
}

/** @throws {CliError} usage: nothing to change */
export async function updateEndpoint(name: string, options: EndpointOptions, context: Stamping) {
  const { url, name: newName, pause, resume } = options
  if (pause && resume) throw usage("--pause and --resume exclude each other")
  const changes = {
    ...(url !== undefined && { url }),
    ...(newName !== undefined && { name: newName }),
    ...((pause || resume) && { isActive: resume === true }),
  }
  if (Object.keys(changes).length === 0)
    throw usage("nothing to change: use --url, --name, --pause or --resume")
  const { endpointId } = await findEndpoint(name, context)
  const parameters = { endpointId, ...changes }
  const activity = await submitWebhookChange("update_webhook_endpoint", parameters, options, context)
  if (activity !== undefined) printChange(activity, () => lineOf(endpointOf(activity)), options, context)
}

export async function deleteEndpoint(name: string, options: ChangeOptions, context: Stamping) {
  const { endpointId } = await findEndpoint(name, context)
  const activity = await submitWebhookChange("delete_webhook_endpoint", { endpointId }, options, context)
  if (activity !== undefined) printChange(activity, () => `deleted ${endpointId}`, options, context)
}

/**
 * The endpoint with this id, name or URL, or the beginning of one; `feature` for the URL of FEATURE_NAME_WEBHOOK.
 * @throws {CliError} usage: none fits, or several do
 */
export async function findEndpoint(name: string, context: Stamping): Promise<{ endpointId: string }> {
  if (name === FEATURE.name || name === FEATURE.endpointId) return FEATURE
  return { endpointId: await new Directory(context, context.pinsFile).idOf("webhook-endpoint", name) }
}

/** Submits an activity and returns it once it is completed; undefined: a dry run. @throws {CliError} */
export async function submitWebhookChange(
  path: string,
  parameters: object,
  options: ChangeOptions,
  context: Stamping,
): Promise<ActivityJson | undefined> {
  const submission = { type: `ACTIVITY_TYPE_${path.toUpperCase()}`, parameters }
  return (await submitChange(submission, options, context))?.activity
}

/** Prints a completed activity: `line` for people; with --json as every command that changes something. */
export function printChange(
  activity: ActivityJson,
  line: () => string,
  options: Output,
  { terminal }: Stamping,
): void {
  if (options.json) printResult(terminal, receiptOf(activity), options)
  else terminal.print(line())
}

export async function endpointsOf(querying: Querying): Promise<Endpoint[]> {
  return (await query<{ webhookEndpoints: Endpoint[] }>(querying, "list_webhook_endpoints")).webhookEndpoints
}

function endpointOf(activity: ActivityJson): Endpoint {
  return resultOf(activity)["webhookEndpoint"] as Endpoint
}

function isOfBalances(eventType: string): boolean {
  return eventType.startsWith("BALANCE_")
}

function lineOf({ endpointId, name, url, isActive, subscriptions }: Endpoint): string {
  const events = subscriptions
    .map(
      ({ eventType, filtersJson }) =>
        `${eventType}${filtersJson === undefined ? "" : ` of ${followed(filtersJson)}`}`,
    )
    .join(", ")
  return [endpointId, isActive ? "active" : "paused", name, ...(name === url ? [] : [url]), events].join("  ")
}

/** The addresses of a filter, or the filter as it stands. */
function followed(filtersJson: string): string {
  try {
    const { addresses } = JSON.parse(filtersJson) as { addresses?: unknown }
    return Array.isArray(addresses) ? addresses.join(" ") : filtersJson
  } catch {
    return filtersJson
  }
}
