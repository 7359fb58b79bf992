import { requireWebhookTarget } from "./webhook-endpoints.ts"
import type { Activity } from "../../activities/activity.ts"

/** The signer decides whether the caller may, and makes the delivery's id, so that a repeated request sends one test. */
export const sendWebhookTestEvent: Activity<"sendWebhookTestEvent"> = {
  run({ endpointId }, { organization, newId }) {
    return { endpointId: requireWebhookTarget(organization, endpointId), deliveryId: newId() }
  },
}
