import type { Database } from "../../database/database.ts"
import { notFound } from "../errors.ts"
import { unknownDelivery } from "../store/webhook-history.ts"
import type { CallerRequest } from "./request.ts"

/**
 * The signer does not know deliveries: an id that is none would be recorded, and nothing would be sent.
 * @throws ApiError 404
 */
export async function requireDeliveries(
  { submission: { activity, organizationId, parameters } }: CallerRequest,
  sql: Database,
): Promise<void> {
  if (activity.path !== "redeliver_webhook_deliveries") return
  const { endpointId, deliveryIds } = parameters as { endpointId: string; deliveryIds: string[] }
  const unknown = await unknownDelivery(sql, { organizationId, endpointId }, deliveryIds)
  if (unknown === undefined) return
  throw notFound(
    `unable to find delivery ${unknown} to webhook endpoint ${endpointId} in organization ${organizationId}; list_webhook_deliveries names them`,
  )
}
