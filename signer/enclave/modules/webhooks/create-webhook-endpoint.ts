import { addWebhookEndpoint, readSubscriptions } from "./webhook-endpoints.ts"
import type { Activity } from "../../activities/activity.ts"
import { endpointResult } from "./webhooks.ts"

/** The endpoint gets events from this activity on, itself included. */
export const createWebhookEndpoint: Activity<"createWebhookEndpoint"> = {
  check({ subscriptions }) {
    readSubscriptions(subscriptions)
  },
  run({ url, name, subscriptions: asked }, { organization, newId }) {
    const subscriptions = readSubscriptions(asked)
    const endpoint = addWebhookEndpoint(organization, { endpointId: newId(), url, name, subscriptions })
    return endpointResult(endpoint, organization.id)
  },
}
