import {
  type ListWebhookDeliveriesRequest,
  ListWebhookDeliveriesResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { STATES, webhookDeliveryResource } from "../resources/webhook-delivery.ts"
import { listDeliveries } from "../store/webhook-history.ts"
import { readPagination, requirePage } from "./shared/pagination.ts"
import type { Query } from "./shared/query.ts"

/** Deliveries to the organization's own endpoints, newest first. */
export const listWebhookDeliveries: Query<ListWebhookDeliveriesRequest> = async (request, context) => {
  const filter = {
    organizationId: context.organization.id,
    endpointId: request.endpointId,
    states: request.filterByStatus.flatMap((status) => STATES[status] ?? []),
    eventTypes: request.filterByEventType,
  }
  const page = readPagination(request.paginationOptions)
  const rows = requirePage(await listDeliveries(context.sql, filter, page))
  return jsonText(ListWebhookDeliveriesResponseSchema, {
    webhookDeliveries: rows.map(webhookDeliveryResource),
  })
}
