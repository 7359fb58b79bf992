import { requireWebhookTarget } from "../organization/webhook-endpoints.ts"
import type { Activity } from "./activity.ts"

/** The signer decides who may, and names the delivery, so that a repeated body sends one test. */
export const sendWebhookTestEvent: Activity<"sendWebhookTestEvent"> = {
  run({ endpointId }, { organization, newId }) {
    return { endpointId: requireWebhookTarget(organization, endpointId), deliveryId: newId() }
  },
}
