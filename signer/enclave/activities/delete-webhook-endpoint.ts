import { removeWebhookEndpoint } from "../organization/webhook-endpoints.ts"
import type { Activity } from "./activity.ts"

export const deleteWebhookEndpoint: Activity<"deleteWebhookEndpoint"> = {
  run({ endpointId }, { organization }) {
    return { endpointId: removeWebhookEndpoint(organization, endpointId) }
  },
}
