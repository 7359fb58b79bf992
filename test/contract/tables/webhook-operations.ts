// Operations on webhook endpoints, as published clients know them.
import {
  boolean,
  type Fields,
  list,
  number,
  record,
  silentOptional,
  silentRequired,
  string,
  timestamp,
} from "./field.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"
import { paginationOptions } from "./resources.ts"

const subscription: Fields = {
  eventType: silentRequired(string),
  filtersJson: silentOptional(string),
  isActive: silentOptional(boolean),
}

const endpoint: Fields = {
  endpointId: silentRequired(string),
  organizationId: silentRequired(string),
  url: silentRequired(string),
  name: silentRequired(string),
  isActive: silentRequired(boolean),
  subscriptions: silentRequired(list(record(subscription))),
}

const delivery: Fields = {
  deliveryId: silentRequired(string),
  organizationId: silentRequired(string),
  endpointId: silentRequired(string),
  eventOrganizationId: silentRequired(string),
  eventType: silentRequired(string),
  status: silentRequired(string),
  attemptCount: silentRequired(number),
  httpStatus: silentOptional(number),
  error: silentOptional(string),
  nextAttemptAt: silentOptional(timestamp),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

const attempt: Fields = {
  startedAt: silentRequired(timestamp),
  durationMilliseconds: silentRequired(number),
  httpStatus: silentOptional(number),
  error: silentOptional(string),
}

const changed: Fields = {
  endpointId: silentRequired(string),
  webhookEndpoint: silentRequired(record(endpoint)),
}

export const webhookReplies: readonly Reply[] = [
  reply("CREATE_WEBHOOK_ENDPOINT", "", "createWebhookEndpoint", changed),
  reply("UPDATE_WEBHOOK_ENDPOINT", "", "updateWebhookEndpoint", changed),
  reply("DELETE_WEBHOOK_ENDPOINT", "", "deleteWebhookEndpoint", { endpointId: silentRequired(string) }),
  // No published client knows these two: extensions, as the queries of deliveries are.
  reply("REDELIVER_WEBHOOK_DELIVERIES", "", "redeliverWebhookDeliveries", {
    endpointId: silentRequired(string),
    deliveryIds: silentRequired(list(string)),
  }),
  reply("SEND_WEBHOOK_TEST_EVENT", "", "sendWebhookTestEvent", {
    endpointId: silentRequired(string),
    deliveryId: silentRequired(string),
  }),
]

export const webhookQueries: readonly QueryOperation[] = [
  {
    path: "list_webhook_endpoints",
    body: { organizationId: silentRequired(string) },
    reply: { webhookEndpoints: silentRequired(list(record(endpoint))) },
  },
  {
    path: "list_webhook_deliveries",
    body: {
      organizationId: silentRequired(string),
      endpointId: silentOptional(string),
      filterByStatus: silentOptional(list(string)),
      filterByEventType: silentOptional(list(string)),
      paginationOptions: silentOptional(record(paginationOptions)),
    },
    reply: { webhookDeliveries: silentRequired(list(record(delivery))) },
  },
  {
    path: "get_webhook_delivery",
    body: { organizationId: silentRequired(string), deliveryId: silentRequired(string) },
    reply: {
      webhookDelivery: silentRequired(record(delivery)),
      body: silentRequired(string),
      attempts: silentRequired(list(record(attempt))),
    },
  },
]
