import { create } from "@bufbuild/protobuf"
import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { WebhookSubscriptionParams } from "../../../../proto/gen/countersign/api/v1/intents/webhooks_pb.ts"
import {
  type WebhookEndpoint,
  WebhookEndpointSchema,
  type WebhookSubscription,
  WebhookSubscriptionSchema,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import { NIL_UUID } from "../../../core/uuid.ts"
import { readBalanceFilter, readNewBalanceFilter } from "../../../core/modules/webhooks/balance-filter.ts"
import { ACTIVITY_UPDATES, BALANCE_CONFIRMED, BALANCE_FINALIZED } from "../../../core/webhook/statement.ts"
import { isWebhookUrl, WEBHOOK_URL_RULE } from "../../../core/webhook/url.ts"
import type { Draft } from "../../organization/draft.ts"
import { MAX_WATCHED_ADDRESSES, MAX_WEBHOOK_ENDPOINTS } from "../../organization/limits.ts"

type NewEndpoint = { endpointId: string; url: string; name: string; subscriptions: WebhookSubscription[] }

/** @throws LIMIT_EXCEEDED, WEBHOOK_URL_INVALID, WEBHOOK_EVENT_OF_PARENT */
export function addWebhookEndpoint(draft: Draft, endpoint: NewEndpoint): WebhookEndpoint {
  const { webhookEndpoints, parentId } = draft.document
  if (webhookEndpoints.length >= MAX_WEBHOOK_ENDPOINTS)
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${MAX_WEBHOOK_ENDPOINTS} webhook endpoints`)
  requireUrl(draft, endpoint.url)
  const other = endpoint.subscriptions.find(({ eventType }) => eventType !== ACTIVITY_UPDATES)
  if (parentId !== "" && other !== undefined) {
    const sentence = `${other.eventType} go to endpoints of top-level organizations: subscribe in parent organization ${parentId}`
    throw refuse("WEBHOOK_EVENT_OF_PARENT", sentence, { field: "parameters.subscriptions" })
  }
  if (watchedAddresses([...webhookEndpoints, endpoint]) > MAX_WATCHED_ADDRESSES) {
    const sentence = `the webhook endpoints of an organization follow at most ${MAX_WATCHED_ADDRESSES} addresses: name fewer, or delete an endpoint`
    throw refuse("LIMIT_EXCEEDED", sentence, { field: "parameters.subscriptions" })
  }
  const added = create(WebhookEndpointSchema, { ...endpoint, ...draft.created })
  webhookEndpoints.push(added)
  draft.markChanged()
  return added
}

function watchedAddresses(endpoints: readonly Pick<WebhookEndpoint, "subscriptions">[]): number {
  const filters = endpoints.flatMap(({ subscriptions }) => subscriptions.map((one) => one.filtersJson))
  const watched = filters.filter((text) => text !== "").map((text) => readBalanceFilter(text, "").length)
  return watched.reduce((sum, count) => sum + count, 0)
}

type EndpointChange = { url?: string | undefined; name?: string | undefined; isActive?: boolean | undefined }

/** Members that are absent stay. @throws RESOURCE_UNKNOWN, WEBHOOK_URL_INVALID */
export function changeWebhookEndpoint(draft: Draft, id: string, { url, name, isActive }: EndpointChange) {
  const endpoint = requireWebhookEndpoint(draft, id)
  if (url !== undefined) requireUrl(draft, url)
  endpoint.url = url ?? endpoint.url
  endpoint.name = name ?? endpoint.name
  if (isActive !== undefined) endpoint.paused = !isActive
  endpoint.updatedAtMs = draft.nowMs
  draft.markChanged()
  return endpoint
}

/** @throws RESOURCE_UNKNOWN */
export function removeWebhookEndpoint(draft: Draft, id: string): string {
  const { document } = draft
  const endpoint = requireWebhookEndpoint(draft, id)
  document.webhookEndpoints = document.webhookEndpoints.filter((other) => other !== endpoint)
  draft.markChanged()
  return endpoint.endpointId
}

/**
 * The target that an id names, in lower case: an endpoint, or for the nil UUID the URL of FEATURE_NAME_WEBHOOK.
 * @throws RESOURCE_UNKNOWN
 */
export function requireWebhookTarget(draft: Draft, id: string): string {
  if (id !== NIL_UUID) return requireWebhookEndpoint(draft, id).endpointId
  if (draft.document.features.some(({ name }) => name === FeatureName.WEBHOOK)) return id
  const sentence = `organization ${draft.id} has no URL of FEATURE_NAME_WEBHOOK: set the feature, or name an endpoint`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field: "parameters.endpointId" })
}

/** An endpoint of the organization; `id` in upper or lower case. @throws RESOURCE_UNKNOWN */
function requireWebhookEndpoint({ document, id: organizationId }: Draft, id: string): WebhookEndpoint {
  const endpoint = document.webhookEndpoints.find(({ endpointId }) => endpointId === id.toLowerCase())
  if (endpoint !== undefined) return endpoint
  const sentence = `unable to find webhook endpoint ${id} in organization ${organizationId}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field: "parameters.endpointId" })
}

/**
 * Subscriptions as they are stored. Without any, the endpoint gets activities: no later request could add one.
 * @throws WEBHOOK_EVENT_NOT_SERVED, WEBHOOK_EVENT_REPEATED, WEBHOOK_FILTER_NOT_SERVED,
 * WEBHOOK_FILTER_INVALID
 */
export function readSubscriptions(
  subscriptions: readonly WebhookSubscriptionParams[],
): WebhookSubscription[] {
  if (subscriptions.length === 0) return [create(WebhookSubscriptionSchema, { eventType: ACTIVITY_UPDATES })]
  const seen = new Set<string>()
  return subscriptions.map(({ eventType, filtersJson = "", isActive }, index) => {
    const field = `parameters.subscriptions[${index}]`
    if (seen.has(eventType)) {
      const sentence = `${eventType} stands twice in subscriptions; list each kind of event once`
      throw refuse("WEBHOOK_EVENT_REPEATED", sentence, { field: `${field}.eventType` })
    }
    seen.add(eventType)
    if (eventType === BALANCE_CONFIRMED || eventType === BALANCE_FINALIZED)
      readNewBalanceFilter(filtersJson, `${field}.filtersJson`)
    else if (filtersJson !== "") {
      const sentence =
        "filters of webhooks are not served: leave filtersJson out, and select events in the receiver"
      throw refuse("WEBHOOK_FILTER_NOT_SERVED", sentence, { field: `${field}.filtersJson` })
    }
    return create(WebhookSubscriptionSchema, { eventType, paused: isActive === false, filtersJson })
  })
}

/** @throws WEBHOOK_URL_INVALID */
function requireUrl({ limits }: Draft, url: string): void {
  if (isWebhookUrl(url, limits.localWebhooks)) return
  throw refuse("WEBHOOK_URL_INVALID", `url: a webhook endpoint takes ${WEBHOOK_URL_RULE}`, {
    field: "parameters.url",
  })
}
