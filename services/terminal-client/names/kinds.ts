/** Kinds of things that have names: the query that lists them, and the members that hold ids and names. */
export const KINDS = {
  user: list("list_users users userId", "user", ["userName", "userEmail"]),
  tag: list("list_user_tags userTags tagId", "tag", ["tagName"]),
  "private-key-tag": list("list_private_key_tags privateKeyTags tagId", "tag", ["tagName"]),
  wallet: list("list_wallets wallets walletId", "wallet", ["walletName"]),
  account: list("list_wallet_accounts accounts walletAccountId", "account", ["name", "address"]),
  policy: list("list_policies policies policyId", "policy", ["policyName"]),
  "private-key": list("list_private_keys privateKeys privateKeyId", "private key", ["privateKeyName"]),
  interface: list(
    "list_smart_contract_interfaces smartContractInterfaces smartContractInterfaceId",
    "interface",
    ["label", "smartContractAddress"],
  ),
  key: list("get_api_keys apiKeys apiKeyId", "API key", ["apiKeyName"]),
  passkey: list("get_authenticators authenticators authenticatorId", "passkey", ["authenticatorName"]),
  "mfa-policy": list("get_mfa_policies mfaPolicies mfaPolicyId", "MFA policy", ["mfaPolicyName"]),
  "velocity-control": list("list_velocity_controls velocityControls velocityControlId", "velocity control", [
    "identifier",
    "name",
  ]),
  invitation: {
    ...list("get_organization organizationData.invitations invitationId", "open invitation", [
      "receiverUserName",
      "receiverEmail",
    ]),
    isListed: ({ status }) => status === "INVITATION_STATUS_CREATED",
  },
  "oauth2-credential": list(
    "list_oauth2_credentials oauth2Credentials oauth2CredentialId",
    "OAuth 2.0 credential",
    ["clientId"],
  ),
  "on-ramp-credential": {
    ...list(
      "list_fiat_on_ramp_credentials fiatOnRampCredentials fiatOnrampCredentialId",
      "on-ramp credential",
      ["name", "publishableApiKey"],
    ),
    nameOf: onRampName,
  },
  "email-template": list("list_email_templates emailTemplates templateId", "e-mail template", [
    "templateName",
  ]),
  "webhook-endpoint": list("list_webhook_endpoints webhookEndpoints endpointId", "webhook endpoint", [
    "name",
    "url",
  ]),
  "session-profile": list("get_session_profiles sessionProfiles sessionProfileId", "session profile", [
    "sessionProfileName",
  ]),
} as const satisfies { readonly [kind: string]: Listing }

export type Kind = keyof typeof KINDS

/** Kinds that the signed document of an organization holds. The others are records beside it. */
const SIGNED_KINDS = [
  "user",
  "tag",
  "private-key-tag",
  "policy",
  "key",
  "passkey",
  "mfa-policy",
  "velocity-control",
  "invitation",
  "session-profile",
  "on-ramp-credential",
  "webhook-endpoint",
] as const satisfies readonly Kind[]

export type SignedKind = (typeof SIGNED_KINDS)[number]

export function isSignedKind(kind: Kind): kind is SignedKind {
  return SIGNED_KINDS.some((one) => one === kind)
}

export type Listing = {
  /** Query path. */
  query: string
  /** Path of the member of the reply that holds the list. */
  member: string
  id: string
  /** The noun for one object of the kind. */
  noun: string
  /** Members that hold names. */
  names: readonly string[]
  /** Which items count; by default all. */
  isListed?: (item: Item) => boolean
  /** Name of an item whose members hold none; it becomes its member `name`. */
  nameOf?: (item: Item) => string
}

export type Item = { readonly [member: string]: unknown }

/** @param place query, member of the reply, and member of the items with the id */
function list(place: string, noun: string, names: readonly string[]): Listing {
  const [query = "", member = "", id = ""] = place.split(" ")
  return { query, member, id, noun, names }
}

/** `moonpay`, or `moonpay-sandbox` for keys of the provider's test system: an organization has one of each. */
export function onRampName({ onrampProvider, sandboxMode }: Item): string {
  const provider = String(onrampProvider).replace("FIAT_ON_RAMP_PROVIDER_", "").toLowerCase()
  return sandboxMode === true ? `${provider}-sandbox` : provider
}
