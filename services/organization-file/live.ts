import { isPathUnknown, type Querying, query } from "../terminal-client/api-client.ts"
import { listAll } from "../terminal-client/list-all.ts"
import { whoami } from "../terminal-client/whoami.ts"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import type { FileEmailTemplate, FileOauth2Credential, FileOnRampCredential } from "./file-access.ts"
import {
  type FileInterface,
  type FileMfaPolicy,
  type FilePolicy,
  type FileSessionProfile,
  type FileVelocityControl,
  type FileWebhookEndpoint,
  PROXY_FEATURE,
} from "./file.ts"
import { type LiveIpAllowlist, readAllowlists } from "./live-allowlists.ts"

type Json = { readonly [member: string]: unknown }

export type LiveApiKey = {
  apiKeyId: string
  apiKeyName: string
  credential: { publicKey: string; type: string }
  expirationSeconds?: string
}
export type LiveMfaPolicy = Omit<FileMfaPolicy, "notes"> & { mfaPolicyId: string; notes?: string }
export type LiveUser = {
  userId: string
  userName: string
  userEmail?: string
  userPhoneNumber?: string
  userTags: string[]
  /** API keys that are not sessions. */
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
export type LivePolicy = Omit<FilePolicy, "time"> & { policyId: string; time?: string }
export type LiveTag = { tagId: string; tagName: string; tagType: string }
export type LiveSessionProfile = FileSessionProfile & { sessionProfileId: string }
export type LiveVelocityControl = FileVelocityControl & { velocityControlId: string }
export type LiveInterface = FileInterface & { smartContractInterfaceId: string }
export type LiveWebhookEndpoint = FileWebhookEndpoint & { endpointId: string }
export type LiveEmailTemplate = FileEmailTemplate & { templateId: string }
type LiveOauth2Credential = FileOauth2Credential & { oauth2CredentialId: string }
export type LiveOnRampCredential = Omit<FileOnRampCredential, "sandboxMode"> & {
  fiatOnrampCredentialId: string
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

type Reading = {
  /** False: IP allowlists are not read; they take a query a key. */
  allowlists: boolean
  /** Called for what the service has no query for, which is then empty. Absent: such a service is refused. */
  onMissing?: (what: Missing) => void
}

/** A part of an organization, and the query that another service lacks. */
export type Missing = { readonly part: string; readonly query: string }

/** Reads the organization. @throws {CliError} of the API */
export async function readLive(querying: Querying, reading: Reading): Promise<LiveOrganization> {
  const { organizationData: data } = await query<{ organizationData: Data }>(querying, "get_organization")
  const has = orMissing(reading.onMissing)
  const keys = () => readAllowlists(querying, data.users.map(withoutSessions))
  const [caller, listed, proxy, ipAllowlists] = await Promise.all([
    whoami(querying),
    readLists(querying, has),
    has({ part: "authProxy", query: "get_auth_proxy_config" }, () => readProxy(querying), undefined),
    reading.allowlists ? has({ part: "ipAllowlists", query: "get_ip_allowlist" }, keys, []) : [],
  ])
  return {
    ...data,
    ...listed,
    callerId: caller.userId,
    callerKey: querying.client.key?.publicKey ?? "",
    users: data.users.filter(({ userId }) => userId !== proxy?.userId).map(withoutSessions),
    policies: data.policies.filter(({ policyName }) => policyName !== `Auth proxy ${proxy?.configId}`),
    features: data.features
      .filter(({ name }) => name !== PROXY_FEATURE)
      .map(({ name, value = "" }) => ({ name, value })),
    proxy: { enabled: proxy?.enabled === true, settings: proxy?.settings ?? {} },
    ipAllowlists,
  }
}

/** Lists of the organization: the query of each, and the member of its reply. */
const LISTS = {
  sessionProfiles: ["get_session_profiles", "sessionProfiles"],
  velocityControls: ["list_velocity_controls", "velocityControls"],
  interfaces: ["list_smart_contract_interfaces", "smartContractInterfaces"],
  webhookEndpoints: ["list_webhook_endpoints", "webhookEndpoints"],
  emailTemplates: ["list_email_templates", "emailTemplates"],
  oauth2Credentials: ["list_oauth2_credentials", "oauth2Credentials"],
  fiatOnRampCredentials: ["list_fiat_on_ramp_credentials", "fiatOnRampCredentials"],
} as const satisfies { readonly [list in keyof LiveOrganization]?: readonly [query: string, member: string] }

type OrMissing = <Found>(what: Missing, read: () => Promise<Found>, none: Found) => Promise<Found>

/** Reads a part, or says that the service has no query for it. */
function orMissing(onMissing: Reading["onMissing"]): OrMissing {
  return async (what, read, none) => {
    try {
      return await read()
    } catch (error) {
      if (onMissing === undefined || !isUnserved(error)) throw error
      onMissing(what)
      return none
    }
  }
}

async function readLists(
  querying: Querying,
  has: OrMissing,
): Promise<Pick<LiveOrganization, keyof typeof LISTS>> {
  const lists = Object.entries(LISTS).map(async ([part, [path, member]]) => {
    return [part, await has({ part, query: path }, () => listAll(querying, path, member), [])] as const
  })
  return Object.fromEntries(await Promise.all(lists)) as Pick<LiveOrganization, keyof typeof LISTS>
}

type ProxyConfig = { configId: string; enabled: boolean; userId: string; settings: Json }

/** Undefined: the organization never had one. */
async function readProxy(querying: Querying): Promise<ProxyConfig | undefined> {
  try {
    const reply = await query<{ authProxyConfig: ProxyConfig }>(querying, "get_auth_proxy_config")
    return reply.authProxyConfig
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

const UNIMPLEMENTED = 12

/** True if the service, or a gateway before it, does not serve the path. */
export function isUnserved(error: unknown): boolean {
  if (isPathUnknown(error)) return true
  if (!(error instanceof CliError)) return false
  return (error.reply as { code?: number } | undefined)?.code === UNIMPLEMENTED || isNotFound(error.reply)
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
