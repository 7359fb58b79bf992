import type { WebhookEndpoint } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"

/** An endpoint as results show it. */
export function endpointResult(
  { endpointId, url, name, paused, subscriptions }: WebhookEndpoint,
  organizationId: string,
) {
  const shown = subscriptions.map((one) => ({ eventType: one.eventType, isActive: !one.paused }))
  const webhookEndpoint = { endpointId, organizationId, url, name, isActive: !paused, subscriptions: shown }
  return { endpointId, webhookEndpoint }
}
