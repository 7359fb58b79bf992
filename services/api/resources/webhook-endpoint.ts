import type { MessageInitShape } from "@bufbuild/protobuf"
import type { WebhookEndpointDataSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { WebhookEndpoint } from "../../../proto/gen/countersign/state/v1/document_pb.ts"

export function webhookEndpointResource(
  { endpointId, url, name, paused, subscriptions }: WebhookEndpoint,
  organizationId: string,
): MessageInitShape<typeof WebhookEndpointDataSchema> {
  const shown = subscriptions.map(({ eventType, paused: isPaused, filtersJson }) => ({
    eventType,
    isActive: !isPaused,
    ...(filtersJson !== "" && { filtersJson }),
  }))
  return { endpointId, organizationId, url, name, isActive: !paused, subscriptions: shown }
}
