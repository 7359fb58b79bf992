import type { WebhookEndpoint } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"

/** An endpoint as results show it. */
export function endpointResult(
  { endpointId, url, name, paused, subscriptions }: WebhookEndpoint,
  organizationId: string,
) {
  const shown = subscriptions.map(({ eventType, paused: isPaused, filtersJson }) => ({
    eventType,
    isActive: !isPaused,
    ...(filtersJson !== "" && { filtersJson }),
  }))
  const webhookEndpoint = { endpointId, organizationId, url, name, isActive: !paused, subscriptions: shown }
  return { endpointId, webhookEndpoint }
}
