import { changeWebhookEndpoint } from "../organization/webhook-endpoints.ts"
import type { Activity } from "./activity.ts"
import { endpointResult } from "./shared/webhooks.ts"

/** Subscriptions never change: the interface has no member for them. */
export const updateWebhookEndpoint: Activity<"updateWebhookEndpoint"> = {
  run({ endpointId, url, name, isActive }, { organization }) {
    const endpoint = changeWebhookEndpoint(organization, endpointId, { url, name, isActive })
    return endpointResult(endpoint, organization.id)
  },
}
