import type { StampingClient } from "../suborgs/caller.ts"

/** Creates an endpoint that receives activities, and returns its id. */
export async function createEndpoint(
  caller: StampingClient,
  organizationId: string,
  name: string,
  url: string,
): Promise<string> {
  const subscriptions = [{ eventType: "ACTIVITY_UPDATES" }]
  const parameters = { name, url, subscriptions }
  const [path, type] = ["create_webhook_endpoint", "CREATE_WEBHOOK_ENDPOINT"]
  const text = await submitted(caller, path, type, organizationId, parameters)
  type Created = { activity: { result: { createWebhookEndpointResult: { endpointId: string } } } }
  return (JSON.parse(text) as Created).activity.result.createWebhookEndpointResult.endpointId
}

export async function deleteEndpoint(
  caller: StampingClient,
  organizationId: string,
  endpointId: string,
): Promise<void> {
  const [path, type] = ["delete_webhook_endpoint", "DELETE_WEBHOOK_ENDPOINT"]
  await submitted(caller, path, type, organizationId, { endpointId })
}

/** The reply's text. @throws Error if the activity is refused */
export async function submitted(
  caller: StampingClient,
  path: string,
  type: string,
  organizationId: string,
  parameters: object,
): Promise<string> {
  const { status, text } = await caller.submit(path, type, organizationId, parameters)
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
  return text
}
