import { removeWebhookEndpoint } from "./webhook-endpoints.ts"
import type { Activity } from "../../activities/activity.ts"

export const deleteWebhookEndpoint: Activity<"deleteWebhookEndpoint"> = {
  run({ endpointId }, { organization }) {
    return { endpointId: removeWebhookEndpoint(organization, endpointId) }
  },
}
