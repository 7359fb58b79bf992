import {
  type GetWebhookDeliveryRequest,
  GetWebhookDeliveryResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { webhookAttemptResource, webhookDeliveryResource } from "../resources/webhook-delivery.ts"
import { attemptsOf, getDelivery } from "../store/webhook-history.ts"
import type { Query } from "./shared/query.ts"

/** The body shows no session: it was written for a reader that is no user. */
export const getWebhookDelivery: Query<GetWebhookDeliveryRequest> = async (
  { deliveryId },
  { sql, organization },
) => {
  const row = await getDelivery(sql, organization.id, deliveryId)
  if (row === undefined)
    throw notFound(`unable to find webhook delivery ${deliveryId} in organization ${organization.id}`)
  return jsonText(GetWebhookDeliveryResponseSchema, {
    webhookDelivery: webhookDeliveryResource(row),
    body: row.body ?? "",
    attempts: (await attemptsOf(sql, row)).map(webhookAttemptResource),
  })
}
