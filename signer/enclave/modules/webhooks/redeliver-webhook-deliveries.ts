import { requireWebhookTarget } from "./webhook-endpoints.ts"
import type { Activity } from "../../activities/activity.ts"

/** The signer only decides whether the caller may. Deliveries are data of the API tier, which sends these ids again. */
export const redeliverWebhookDeliveries: Activity<"redeliverWebhookDeliveries"> = {
  run({ endpointId, deliveryIds }, { organization }) {
    return {
      endpointId: requireWebhookTarget(organization, endpointId),
      deliveryIds: deliveryIds.map((id) => id.toLowerCase()),
    }
  },
}
