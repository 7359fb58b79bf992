import { type Querying, query } from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import { PROXY_FEATURE } from "./file.ts"
import { type LiveIpAllowlist, readAllowlists } from "./live-allowlists.ts"

type Json = { readonly [member: string]: unknown }

export type LiveApiKey = {
  apiKeyId: string
  apiKeyName: string
  credential: { publicKey: string; type: string }
  expirationSeconds?: string
}
export type LiveMfaPolicy = {
  mfaPolicyId: string
  mfaPolicyName: string
  condition: string
  requiredAuthenticationMethods: { any: { type: string; id?: string }[] }[]
  order: number
  notes?: string
}
export type LiveUser = {
  userId: string
  userName: string
  userEmail?: string
  userPhoneNumber?: string
  userTags: string[]
  /** Without sessions. */
  apiKeys: LiveApiKey[]
  authenticators: {
    authenticatorId: string
    authenticatorName: string
    credentialId: string
    credential: { publicKey: string }
  }[]
  oauthProviders: {
    providerId: string
    providerName: string
    issuer: string
    audience: string
    subject: string
  }[]
  mfaPolicies: LiveMfaPolicy[]
}
export type LivePolicy = {
  policyId: string
  policyName: string
  effect: string
  condition: string
  consensus: string
  time?: string
  notes: string
}
export type LiveTag = { tagId: string; tagName: string; tagType: string }
export type LiveSessionProfile = {
  sessionProfileId: string
  sessionProfileName: string
  scope: string
  expirationSeconds?: string
  notes: string
}
export type LiveVelocityControl = {
  velocityControlId: string
  name: string
  identifier: string
  dataSource: Json
  aggregation: Json
}
export type LiveInterface = {
  smartContractInterfaceId: string
  smartContractAddress: string
  smartContractInterface: string
  type: string
  label: string
  notes: string
}
export type LiveWebhookEndpoint = {
  endpointId: string
  name: string
  url: string
  isActive: boolean
  subscriptions: { eventType: string; isActive: boolean }[]
}
export type LiveEmailTemplate = {
  templateId: string
  templateName: string
  templateType: string
  html: string
  text?: string
  subject?: string
}
type LiveOauth2Credential = { oauth2CredentialId: string; provider: string; clientId: string }
export type LiveOnRampCredential = {
  fiatOnrampCredentialId: string
  onrampProvider: string
  projectId?: string
  publishableApiKey: string
  sandboxMode?: boolean
}
type LiveInvitation = { receiverUserName: string; receiverEmail: string; status: string }
export type LiveProxy = { enabled: boolean; settings: Json }

/** An organization as the API shows it now. Objects that the auth proxy made are left out: they follow `proxy.enabled`. */
export type LiveOrganization = {
  organizationId: string
  name: string
  /** The user of the command, and the key with which they stamp. */
  callerId: string
  callerKey: string
  users: LiveUser[]
  policies: LivePolicy[]
  /** Tags of users and of private keys. */
  tags: LiveTag[]
  sessionProfiles: LiveSessionProfile[]
  velocityControls: LiveVelocityControl[]
  interfaces: LiveInterface[]
  webhookEndpoints: LiveWebhookEndpoint[]
  features: { name: string; value: string }[]
  proxy: LiveProxy
  rootQuorum: { threshold: number; userIds: string[] }
  wallets: { walletId: string; walletName: string }[]
  privateKeys: { privateKeyId: string; privateKeyName: string; privateKeyTags: string[] }[]
  emailTemplates: LiveEmailTemplate[]
  oauth2Credentials: LiveOauth2Credential[]
  fiatOnRampCredentials: LiveOnRampCredential[]
  /** Empty if they were not asked for. */
  ipAllowlists: LiveIpAllowlist[]
  invitations: LiveInvitation[]
}

type Data = Pick<
  LiveOrganization,
  | "organizationId"
  | "name"
  | "users"
  | "policies"
  | "tags"
  | "rootQuorum"
  | "wallets"
  | "privateKeys"
  | "invitations"
> & { features: { name: string; value?: string }[] }

/** Reads the organization; its IP allowlists only if `allowlists`: they take a query a key. @throws {CliError} of the API */
export async function readLive(
  querying: Querying,
  { allowlists }: { allowlists: boolean },
): Promise<LiveOrganization> {
  const ask = <Reply>(path: string, members: object = {}) => query<Reply>(querying, path, members)
  const { organizationData: data } = await ask<{ organizationData: Data }>("get_organization")
  const [
    caller,
    profiles,
    controls,
    interfaces,
    endpoints,
    templates,
    clients,
    onRamps,
    proxy,
    ipAllowlists,
  ] = await Promise.all([
    ask<{ userId: string }>("whoami"),
    ask<{ sessionProfiles: LiveSessionProfile[] }>("get_session_profiles"),
    ask<{ velocityControls: LiveVelocityControl[] }>("list_velocity_controls"),
    ask<{ smartContractInterfaces: LiveInterface[] }>("list_smart_contract_interfaces"),
    ask<{ webhookEndpoints: LiveWebhookEndpoint[] }>("list_webhook_endpoints"),
    ask<{ emailTemplates: LiveOrganization["emailTemplates"] }>("list_email_templates"),
    ask<{ oauth2Credentials: LiveOauth2Credential[] }>("list_oauth2_credentials"),
    ask<{ fiatOnRampCredentials: LiveOnRampCredential[] }>("list_fiat_on_ramp_credentials"),
    readProxy(ask),
    allowlists ? readAllowlists(ask, data.users.map(withoutSessions)) : [],
  ])
  return {
    ...data,
    callerId: caller.userId,
    callerKey: querying.client.key?.publicKey ?? "",
    users: data.users.filter(({ userId }) => userId !== proxy?.userId).map(withoutSessions),
    policies: data.policies.filter(({ policyName }) => policyName !== `Auth proxy ${proxy?.configId}`),
    features: data.features
      .filter(({ name }) => name !== PROXY_FEATURE)
      .map(({ name, value = "" }) => ({ name, value })),
    proxy: { enabled: proxy?.enabled === true, settings: proxy?.settings ?? {} },
    sessionProfiles: profiles.sessionProfiles,
    velocityControls: controls.velocityControls,
    interfaces: interfaces.smartContractInterfaces,
    webhookEndpoints: endpoints.webhookEndpoints,
    emailTemplates: templates.emailTemplates,
    oauth2Credentials: clients.oauth2Credentials,
    fiatOnRampCredentials: onRamps.fiatOnRampCredentials,
    ipAllowlists,
  }
}

type ProxyConfig = { configId: string; enabled: boolean; userId: string; settings: Json }

/** Undefined: the organization never had one. */
async function readProxy(ask: <Reply>(path: string) => Promise<Reply>): Promise<ProxyConfig | undefined> {
  try {
    return (await ask<{ authProxyConfig: ProxyConfig }>("get_auth_proxy_config")).authProxyConfig
  } catch (error) {
    const isAbsent = error instanceof CliError && error.code === ExitCode.refused && isNotFound(error.reply)
    if (isAbsent) return undefined
    throw error
  }
}

/** google.rpc.Code. */
const NOT_FOUND = 5

function isNotFound(reply: unknown): boolean {
  return (reply as { code?: number } | undefined)?.code === NOT_FOUND
}

/** Types of keys that last, as requests create them; the others are sessions and end by themselves. */
export const CURVES: ReadonlyMap<string, string> = new Map([
  ["CREDENTIAL_TYPE_API_KEY_P256", "API_KEY_CURVE_P256"],
  ["CREDENTIAL_TYPE_API_KEY_SECP256K1", "API_KEY_CURVE_SECP256K1"],
  ["CREDENTIAL_TYPE_API_KEY_ED25519", "API_KEY_CURVE_ED25519"],
])

function withoutSessions(user: LiveUser): LiveUser {
  return { ...user, apiKeys: user.apiKeys.filter(({ credential }) => CURVES.has(credential.type)) }
}
