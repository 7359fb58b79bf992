import { changeWebhookEndpoint } from "./webhook-endpoints.ts"
import type { Activity } from "../../activities/activity.ts"
import { endpointResult } from "./webhooks.ts"

/** Subscriptions never change: the interface has no member for them. */
export const updateWebhookEndpoint: Activity<"updateWebhookEndpoint"> = {
  run({ endpointId, url, name, isActive }, { organization }) {
    const endpoint = changeWebhookEndpoint(organization, endpointId, { url, name, isActive })
    return endpointResult(endpoint, organization.id)
  },
}
