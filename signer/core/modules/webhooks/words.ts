// Words of webhooks.
import type { MemberPhrases } from "../../words/member-phrases.ts"
import type { FamilyWriters } from "../../words/writer.ts"

type Endpoint = { readonly endpointId: string }

export const writers = {
  createWebhookEndpointIntent: (members) =>
    `Send ${members.raw.subscriptions.length === 0 ? "no events" : `events ${members.list("subscriptions", (one) => `${one.say("eventType")}${one.ifSet("filtersJson", (filter) => ` of ${filter}`)}`)}`} to ${members.say("url")} as webhook ${members.say("name")}`,
  updateWebhookEndpointIntent: (members) =>
    `Change webhook endpoint ${members.say("endpointId")}${members.ifSet("url", (url) => `: send to ${url}`)}${members.ifSet("name", (name) => `, name ${name}`)}${members.ifSet("isActive", (active) => (active === "true" ? ", switched on" : ", switched off"))}`,
  deleteWebhookEndpointIntent: (members) => `Delete webhook endpoint ${endpoint(members)}`,
  redeliverWebhookDeliveriesIntent: (members) =>
    `Deliver again to webhook endpoint ${endpoint(members)}: ${members.say("deliveryIds")}`,
  sendWebhookTestEventIntent: (members) => `Send a test event to webhook endpoint ${endpoint(members)}`,
} satisfies FamilyWriters

function endpoint(members: MemberPhrases<Endpoint>): string {
  return members.say("endpointId")
}
