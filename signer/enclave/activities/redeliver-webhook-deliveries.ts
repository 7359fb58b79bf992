import { requireWebhookTarget } from "../organization/webhook-endpoints.ts"
import type { Activity } from "./activity.ts"

/** The signer decides who may. Deliveries are the API tier's own data: it sends again what it has of these ids. */
export const redeliverWebhookDeliveries: Activity<"redeliverWebhookDeliveries"> = {
  run({ endpointId, deliveryIds }, { organization }) {
    return {
      endpointId: requireWebhookTarget(organization, endpointId),
      deliveryIds: deliveryIds.map((id) => id.toLowerCase()),
    }
  },
}
