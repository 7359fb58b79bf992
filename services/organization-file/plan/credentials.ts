import type { FileUser } from "../file.ts"
import { CURVES, type LiveUser } from "../live.ts"
import {
  change,
  chunks,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Stage,
} from "./change.ts"
import { mergeParts } from "./section.ts"
import { keyParameters, type UserPair } from "./user-pair.ts"

/** Longest list of keys that one activity creates. */
const MAX_KEYS = 20

/** API keys by public key. Passkeys and OpenID Connect identities can only be deleted: their owners add them. */
export function planCredentials(pairs: readonly UserPair[], { live, prune }: PlanContext): Part {
  return mergeParts(
    pairs.map(({ user, found }) =>
      found === undefined ? { activities: [], byHand: absent(user) } : ofUser(user, found, live, prune),
    ),
  )
}

type Caller = { callerId: string; callerKey: string }

function ofUser(user: FileUser, found: LiveUser, caller: Caller, prune: boolean) {
  const extra = extraOf(user, found)
  const names = [
    ...extra.apiKeys.map(({ apiKeyName }) => `API key ${apiKeyName}`),
    ...extra.authenticators.map(({ authenticatorName }) => `passkey ${authenticatorName}`),
    ...extra.oauthProviders.map(({ providerName }) => `OpenID Connect identity ${providerName}`),
  ]
  return {
    activities: [...additions(user, found), ...(prune ? removals(user, found, extra, caller) : [])],
    kept: prune ? [] : names.map((name) => `${name} of user ${user.userName}`),
    byHand: [...absent(user, found), ...fixed(user, found)],
  }
}

/** Credentials that the file does not list; of a kind that it leaves out, none. */
function extraOf(user: FileUser, found: LiveUser) {
  const { apiKeys, authenticators, oauthProviders } = user
  return {
    apiKeys: found.apiKeys.filter(
      ({ credential }) => apiKeys && !apiKeys.some(({ publicKey }) => publicKey === credential.publicKey),
    ),
    authenticators: found.authenticators.filter(
      ({ credentialId }) =>
        authenticators && !authenticators.some((one) => one.credentialId === credentialId),
    ),
    oauthProviders: found.oauthProviders.filter(
      (one) => oauthProviders && !oauthProviders.some((other) => isSameIdentity(one, other)),
    ),
  }
}

type Identity = { issuer: string; audience: string; subject: string }

function isSameIdentity(one: Identity, other: Identity): boolean {
  return one.issuer === other.issuer && one.audience === other.audience && one.subject === other.subject
}

function additions(user: FileUser, found: LiveUser): PlannedActivity[] {
  const known = new Set(found.apiKeys.map(({ credential }) => credential.publicKey))
  const added = (user.apiKeys ?? []).filter(({ publicKey }) => !known.has(publicKey))
  return chunks(added, MAX_KEYS).map((keys) => {
    const gained = keys.map(
      ({ apiKeyName, publicKey }) => `may act with API key ${apiKeyName} (${publicKey})`,
    )
    const words = change("update", "user", user.userName, { gained })
    const parameters = { userId: found.userId, apiKeys: keys.map(keyParameters) }
    return planned("CREATE_API_KEYS_V2", Stage.change, words, parameters)
  })
}

function countOf(all: Pick<LiveUser, "apiKeys" | "authenticators" | "oauthProviders">): number {
  return all.apiKeys.length + all.authenticators.length + all.oauthProviders.length
}

function removals(
  { userName }: FileUser,
  { userId, ...has }: LiveUser,
  extra: ReturnType<typeof extraOf>,
  { callerKey }: Caller,
): PlannedActivity[] {
  const isLast = countOf(extra) >= countOf(has)
  const warnings = [
    ...(isLast
      ? ["these are the last credentials that the user has now: the signer refuses, unless others are added"]
      : []),
    ...(extra.apiKeys.some(({ credential }) => credential.publicKey === callerKey)
      ? ["this is the key that applies the file"]
      : []),
  ]
  const remove = (type: string, lost: string[], parameters: object) => {
    const words = change("update", "user", userName, { lost, warnings })
    return lost.length === 0 ? [] : [planned(type, Stage.remove, words, { userId, ...parameters })]
  }
  return [
    ...remove(
      "DELETE_API_KEYS",
      extra.apiKeys.map(({ apiKeyName, credential }) => `API key ${apiKeyName} (${credential.publicKey})`),
      { apiKeyIds: extra.apiKeys.map(({ apiKeyId }) => apiKeyId) },
    ),
    ...remove(
      "DELETE_AUTHENTICATORS",
      extra.authenticators.map(({ authenticatorName }) => `passkey ${authenticatorName}`),
      { authenticatorIds: extra.authenticators.map(({ authenticatorId }) => authenticatorId) },
    ),
    ...remove(
      "DELETE_OAUTH_PROVIDERS",
      extra.oauthProviders.map(({ providerName }) => `OpenID Connect identity ${providerName}`),
      { providerIds: extra.oauthProviders.map(({ providerId }) => providerId) },
    ),
  ]
}

/** Credentials of the file that only their owner can add. */
function absent(
  { userName, authenticators = [], oauthProviders = [] }: FileUser,
  found?: LiveUser,
): string[] {
  const passkeys = authenticators
    .filter(({ credentialId }) => !found?.authenticators.some((one) => one.credentialId === credentialId))
    .map(
      ({ authenticatorName }) =>
        `passkey ${authenticatorName}: only the device that holds it proves it, so the user registers it in a browser`,
    )
  const identities = oauthProviders
    .filter((identity) => !found?.oauthProviders.some((one) => isSameIdentity(one, identity)))
    .map(
      ({ providerName }) =>
        `OpenID Connect identity ${providerName}: only a token of its issuer proves it, so the user links it with a login`,
    )
  return [...passkeys, ...identities].map((lack) => `user ${userName} lacks ${lack}`)
}

/** Properties of API keys that no activity changes. */
function fixed({ userName, apiKeys = [] }: FileUser, found: LiveUser): string[] {
  return apiKeys.flatMap((key) => {
    const there = found.apiKeys.find(({ credential }) => credential.publicKey === key.publicKey)
    if (there === undefined) return []
    const curve = CURVES.get(there.credential.type)
    const isSame =
      there.apiKeyName === key.apiKeyName &&
      there.expirationSeconds === key.expirationSeconds &&
      curve === key.curveType
    if (isSame) return []
    const shown = [there.apiKeyName, curve, there.expirationSeconds].filter(Boolean).join(", ")
    return [`API key ${key.publicKey} of user ${userName} is ${shown}: a key cannot be changed, only deleted`]
  })
}
