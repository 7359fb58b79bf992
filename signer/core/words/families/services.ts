// Words of webhooks, purchases at on-ramp providers, secrets, templates, the auth proxy and votes.
import type { Told } from "../told.ts"
import type { FamilyWriters } from "../writer.ts"

type Endpoint = { readonly endpointId: string }
type ProxyChange = { readonly allowedOrigins: readonly string[]; readonly resetMembers: readonly string[] }
type Credential = { readonly onrampProvider: unknown; readonly publishableApiKey: string }

export const services = {
  approveActivityIntent: (told) => `Approve the request ${told.say("fingerprint")}`,
  rejectActivityIntent: (told) => `Reject the request ${told.say("fingerprint")}`,
  createWebhookEndpointIntent: (told) =>
    `Send ${told.raw.subscriptions.length === 0 ? "no events" : `events ${told.list("subscriptions", (one) => one.say("eventType"))}`} to ${told.say("url")} as webhook ${told.say("name")}`,
  updateWebhookEndpointIntent: (told) =>
    `Change webhook endpoint ${told.say("endpointId")}${told.ifSet("url", (url) => `: send to ${url}`)}${told.ifSet("name", (name) => `, name ${name}`)}${told.ifSet("isActive", (active) => (active === "true" ? ", switched on" : ", switched off"))}`,
  deleteWebhookEndpointIntent: (told) => `Delete webhook endpoint ${endpoint(told)}`,
  redeliverWebhookDeliveriesIntent: (told) =>
    `Deliver again to webhook endpoint ${endpoint(told)}: ${told.say("deliveryIds")}`,
  sendWebhookTestEventIntent: (told) => `Send a test event to webhook endpoint ${endpoint(told)}`,
  initFiatOnRampIntent: (told) =>
    `Buy ${told.say("cryptoCurrencyCode")} at ${told.say("onrampProvider")} for address ${told.say("walletAddress")} on ${told.say("network")}${told.ifSet("fiatCurrencyAmount", (amount) => `, for ${amount}`)}${told.ifSet("fiatCurrencyCode", (currency) => ` ${currency}`)}`,
  createFiatOnRampCredentialIntent: (told) => `Add a credential ${onRamp(told)}`,
  updateFiatOnRampCredentialIntent: (told) =>
    `Change on-ramp credential ${told.say("fiatOnrampCredentialId")}: ${onRamp(told)}`,
  deleteFiatOnRampCredentialIntent: (told) =>
    `Delete on-ramp credential ${told.say("fiatOnrampCredentialId")}`,
  initImportSecretsIntent: (told) => `Prepare the import of secrets (${told.say("numSecrets")})`,
  importSecretsIntent: (told) => `Import secrets ${told.list("secrets", (secret) => secret.say("name"))}`,
  exportSecretsIntent: (told) =>
    `Export secrets ${told.list("secrets", (secret) => `${secret.say("secretId")} to the key ${secret.say("targetPublicKey")}`)}`,
  deleteSecretsIntent: (told) => `Delete secrets ${told.say("secretIds")}`,
  createEmailTemplateIntent: (told) =>
    `Create e-mail template ${told.say("templateName")} (${told.say("templateType")})`,
  deleteEmailTemplateIntent: (told) => `Delete e-mail template ${told.say("templateId")}`,
  enableAuthProxyIntent: () => `Switch the auth proxy on: ${OPEN} unless its settings list origins`,
  disableAuthProxyIntent: () => "Switch the auth proxy off",
  updateAuthProxyConfigIntent: (told) =>
    `Change the settings of the auth proxy${told.raw.allowedOrigins.length > 0 ? `, origins ${told.say("allowedOrigins")}` : ""}${told.raw.resetMembers.length > 0 ? `, reset ${told.say("resetMembers")}` : ""}${opensProxy(told.raw) ? `: ${OPEN}` : ""}`,
} satisfies FamilyWriters

const OPEN = "pages of every origin may use it"

/** True if no origin is listed after the change, or the list has the one that stands for all. */
function opensProxy({ allowedOrigins, resetMembers }: ProxyChange): boolean {
  const isEmptied = resetMembers.includes("allowedOrigins") && allowedOrigins.length === 0
  return isEmptied || allowedOrigins.includes("*")
}

function endpoint(told: Told<Endpoint>): string {
  return told.say("endpointId")
}

function onRamp(told: Told<Credential>): string {
  return `of ${told.say("onrampProvider")} with public key ${told.say("publishableApiKey")}`
}
