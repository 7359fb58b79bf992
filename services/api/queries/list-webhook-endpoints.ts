import {
  type ListWebhookEndpointsRequest,
  ListWebhookEndpointsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { webhookEndpointResource } from "../resources/webhook-endpoint.ts"
import type { Query } from "./shared/query.ts"

/** The organization's own endpoints, oldest first. */
export const listWebhookEndpoints: Query<ListWebhookEndpointsRequest> = (_request, { organization }) =>
  jsonText(ListWebhookEndpointsResponseSchema, {
    webhookEndpoints: organization.document.webhookEndpoints.map((endpoint) =>
      webhookEndpointResource(endpoint, organization.id),
    ),
  })
