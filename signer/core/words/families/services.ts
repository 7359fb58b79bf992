// Words of webhooks, purchases at on-ramp providers, secrets, templates, the auth proxy and votes.
import type { MemberPhrases } from "../member-phrases.ts"
import type { FamilyWriters } from "../writer.ts"

type Endpoint = { readonly endpointId: string }
type ProxyChange = { readonly allowedOrigins: readonly string[]; readonly resetMembers: readonly string[] }
type Credential = { readonly onrampProvider: unknown; readonly publishableApiKey: string }

export const services = {
  approveActivityIntent: (members) => `Approve the request ${members.say("fingerprint")}`,
  rejectActivityIntent: (members) => `Reject the request ${members.say("fingerprint")}`,
  createWebhookEndpointIntent: (members) =>
    `Send ${members.raw.subscriptions.length === 0 ? "no events" : `events ${members.list("subscriptions", (one) => one.say("eventType"))}`} to ${members.say("url")} as webhook ${members.say("name")}`,
  updateWebhookEndpointIntent: (members) =>
    `Change webhook endpoint ${members.say("endpointId")}${members.ifSet("url", (url) => `: send to ${url}`)}${members.ifSet("name", (name) => `, name ${name}`)}${members.ifSet("isActive", (active) => (active === "true" ? ", switched on" : ", switched off"))}`,
  deleteWebhookEndpointIntent: (members) => `Delete webhook endpoint ${endpoint(members)}`,
  redeliverWebhookDeliveriesIntent: (members) =>
    `Deliver again to webhook endpoint ${endpoint(members)}: ${members.say("deliveryIds")}`,
  sendWebhookTestEventIntent: (members) => `Send a test event to webhook endpoint ${endpoint(members)}`,
  initFiatOnRampIntent: (members) =>
    `Buy ${members.say("cryptoCurrencyCode")} at ${members.say("onrampProvider")} for address ${members.say("walletAddress")} on ${members.say("network")}${members.ifSet("fiatCurrencyAmount", (amount) => `, for ${amount}`)}${members.ifSet("fiatCurrencyCode", (currency) => ` ${currency}`)}`,
  createFiatOnRampCredentialIntent: (members) => `Add a credential ${onRamp(members)}`,
  updateFiatOnRampCredentialIntent: (members) =>
    `Change on-ramp credential ${members.say("fiatOnrampCredentialId")}: ${onRamp(members)}`,
  deleteFiatOnRampCredentialIntent: (members) =>
    `Delete on-ramp credential ${members.say("fiatOnrampCredentialId")}`,
  initImportSecretsIntent: (members) => `Prepare the import of secrets (${members.say("numSecrets")})`,
  importSecretsIntent: (members) =>
    `Import secrets ${members.list("secrets", (secret) => secret.say("name"))}`,
  exportSecretsIntent: (members) =>
    `Export secrets ${members.list("secrets", (secret) => `${secret.say("secretId")} to the key ${secret.say("targetPublicKey")}`)}`,
  deleteSecretsIntent: (members) => `Delete secrets ${members.say("secretIds")}`,
  createEmailTemplateIntent: (members) =>
    `Create e-mail template ${members.say("templateName")} (${members.say("templateType")})`,
  deleteEmailTemplateIntent: (members) => `Delete e-mail template ${members.say("templateId")}`,
  enableAuthProxyIntent: () => `Switch the auth proxy on: ${OPEN} unless its settings list origins`,
  disableAuthProxyIntent: () => "Switch the auth proxy off",
  updateAuthProxyConfigIntent: (members) =>
    `Change the settings of the auth proxy${members.raw.allowedOrigins.length > 0 ? `, origins ${members.say("allowedOrigins")}` : ""}${members.raw.resetMembers.length > 0 ? `, reset ${members.say("resetMembers")}` : ""}${opensProxy(members.raw) ? `: ${OPEN}` : ""}`,
} satisfies FamilyWriters

const OPEN = "pages of every origin may use it"

/** True if no origin is listed after the change, or the list has the one that stands for all. */
function opensProxy({ allowedOrigins, resetMembers }: ProxyChange): boolean {
  const isEmptied = resetMembers.includes("allowedOrigins") && allowedOrigins.length === 0
  return isEmptied || allowedOrigins.includes("*")
}

function endpoint(members: MemberPhrases<Endpoint>): string {
  return members.say("endpointId")
}

function onRamp(members: MemberPhrases<Credential>): string {
  return `of ${members.say("onrampProvider")} with public key ${members.say("publishableApiKey")}`
}
