// Operations on webhook endpoints, as published clients know them.
import { boolean, type Fields, list, record, silentOptional, silentRequired, string } from "./field.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"

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

const changed: Fields = {
  endpointId: silentRequired(string),
  webhookEndpoint: silentRequired(record(endpoint)),
}

export const webhookReplies: readonly Reply[] = [
  reply("CREATE_WEBHOOK_ENDPOINT", "", "createWebhookEndpoint", changed),
  reply("UPDATE_WEBHOOK_ENDPOINT", "", "updateWebhookEndpoint", changed),
  reply("DELETE_WEBHOOK_ENDPOINT", "", "deleteWebhookEndpoint", { endpointId: silentRequired(string) }),
]

export const webhookQueries: readonly QueryOperation[] = [
  {
    path: "list_webhook_endpoints",
    body: { organizationId: silentRequired(string) },
    reply: { webhookEndpoints: silentRequired(list(record(endpoint))) },
  },
]
