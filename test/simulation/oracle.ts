// The properties that must hold, written from the interface, the guides and the threat model alone: one authorization has one
// execution, no act runs without stamps that satisfy the rules of that moment, versions only grow, organizations stay apart.
import {
  type DecisionInput,
  type Policy,
  type Rules,
  type Right,
  type User,
  verdictOf,
  voteCounts,
} from "./rules.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const CLOCK_MS = 5 * 60_000

/** An activity of a request. Ids are those that earlier outcomes gave. */
export type Act =
  | { is: "create-user"; publicKey: string }
  | { is: "delete-user"; userId: string }
  | { is: "create-key"; userId: string; publicKey: string }
  | { is: "delete-key"; userId: string; keyId: string }
  | { is: "set-quorum"; threshold: number; userIds: string[] }
  | { is: "create-policy"; policy: Omit<Policy, "policyId"> }
  | { is: "delete-policy"; policyId: string }
  | { is: "create-tag"; userIds: string[] }
  | { is: "delete-tag"; tagId: string }
  | { is: "create-wallet" }
  | { is: "create-account"; walletId: string }
  | { is: "create-child"; publicKey: string }
  | { is: "login"; publicKey: string; seconds: number }
  | { is: "sign"; address: string }
  | { is: "vote"; selection: "approve" | "reject"; fingerprint: string }

/** A stamped body. */
export type Request = {
  organizationId: string
  publicKey: string
  fingerprint: string
  timestampMs: number
  type: string
  act: Act
}

/** The signer's answer, in the oracle's words. `created`: ids in the order of the result. */
export type Observed =
  | {
      is: "outcome"
      status: "COMPLETED" | "CONSENSUS_NEEDED" | "REJECTED" | "FAILED"
      activityId: string
      failure: string
      created: string[]
      /** Version of the new document; 0n: unchanged. */
      version: bigint
      /** First key of each user that the activity created, by user. */
      keys: { userId: string; keyId: string }[]
      /** True if the signer keeps it until it is acknowledged. */
      isKept: boolean
      signer: string
    }
  | { is: "refused"; code: string }

type Vote = {
  userId: string
  publicKey: string
  selection: "approve"
  atMs: number
  lapsedAtMs: number
  fingerprint: string
}
type Pending = { activityId: string; request: Request; submitterId: string; votes: Vote[] }
/** `unknown`: the process ended while the acknowledgement was under way. */
export type Done = {
  outcome: Extract<Observed, { is: "outcome" }>
  acknowledged: "no" | "under way" | "unknown" | "yes"
}

export type Organization = Rules & {
  organizationId: string
  /** "": it is a top-level organization. */
  parentId: string
  version: bigint
  tagIds: string[]
  walletIds: string[]
  accounts: { walletId: string; address: string }[]
  pending: Map<string, Pending>
  /** Fingerprints of activities that ended. */
  ended: Map<string, string>
  /** Outcomes by fingerprint and key of their bodies. */
  done: Map<string, Done>
}

/** All organizations at one moment. A state is copied with `structuredClone`. */
export type World = Map<string, Organization>

export function newOrganization(organizationId: string, root: User, parentId = ""): Organization {
  return {
    organizationId,
    parentId,
    version: 1n,
    users: [root],
    quorum: { threshold: 1, userIds: [root.userId] },
    policies: [],
    tagIds: [],
    walletIds: [],
    accounts: [],
    pending: new Map(),
    ended: new Map(),
    done: new Map(),
  }
}

const RIGHTS: Partial<Record<Act["is"], Right>> = {
  "set-quorum": "root-quorum",
  login: "login",
  "create-key": "own-credential",
  "delete-key": "own-credential",
}

const inputOf = ({ type, act }: Request, submitterId: string): DecisionInput => ({
  type,
  right: RIGHTS[act.is] ?? "policies",
  ofUserId: "userId" in act ? act.userId : undefined,
  submitterId,
})

/** Checks one answer and applies it to the world. Returns its fault; undefined: none. */
export function take(world: World, request: Request, observed: Observed, nowMs: number): string | undefined {
  const organization = world.get(request.organizationId)
  if (organization === undefined) return "an answer of an organization that nobody created"
  const codes = refusalsBefore(organization, request, nowMs)
  if (codes.length > 0) return refusedWith(observed, codes)
  const user = ownerOf(organization, request.publicKey)!
  const key = `${request.fingerprint}/${request.publicKey}`
  const earlier = organization.done.get(key)
  if (earlier !== undefined) return sameAgain(earlier, observed)
  const pending = pendingOf(organization, request)
  const fault =
    request.act.is === "vote" || pending !== undefined
      ? vote(world, organization, request, pending, user, observed, nowMs)
      : submit(world, organization, request, user, observed, nowMs)
  if (fault === undefined && observed.is === "outcome" && isKept(request, observed, pending)) {
    organization.done.set(key, { outcome: observed, acknowledged: "no" })
  }
  return fault
}

/**
 * Every outcome is kept until it is acknowledged, but for a signature that is allowed at once. One that rules allow only when its turn
 * comes, because another activity changed them meanwhile, may be kept too.
 */
function isKept(
  { act }: Request,
  { status, isKept: isSaidKept }: Extract<Observed, { is: "outcome" }>,
  pending: Pending | undefined,
): boolean {
  return isSaidKept || act.is !== "sign" || status !== "COMPLETED" || pending !== undefined
}

/** Codes with which a request is refused, whatever activity it asks for. */
function refusalsBefore(organization: Organization, request: Request, nowMs: number): string[] {
  const codes: string[] = []
  if (nowMs - request.timestampMs >= HOUR_MS) codes.push("REQUEST_STALE")
  const credential = credentialOf(organization, request.publicKey)
  if (credential === undefined) return [...codes, "CREDENTIAL_UNKNOWN"]
  if (!isLive(credential, nowMs)) return [...codes, "CREDENTIAL_EXPIRED", "CREDENTIAL_UNKNOWN"]
  if (credential.createdAtMs - request.timestampMs > CLOCK_MS) codes.push("CREDENTIAL_NEWER_THAN_REQUEST")
  return codes
}

type Credential = { publicKey: string; createdAtMs: number; expiresAtMs?: number }

const credentialsOf = ({ keys, sessions }: User): Credential[] => [...keys, ...sessions]

const hasKey = (user: User, publicKey: string) =>
  credentialsOf(user).some((credential) => credential.publicKey === publicKey)

const isLive = ({ expiresAtMs = Number.POSITIVE_INFINITY }: Credential, nowMs: number) => nowMs < expiresAtMs

const ownerOf = ({ users }: Organization, publicKey: string): User | undefined =>
  users.find((user) => hasKey(user, publicKey))

const credentialOf = ({ users }: Organization, key: string): Credential | undefined =>
  users.flatMap(credentialsOf).find(({ publicKey }) => publicKey === key)

const pendingOf = ({ pending }: Organization, { act, fingerprint }: Request) =>
  pending.get(act.is === "vote" ? act.fingerprint : fingerprint)

function refusedWith(observed: Observed, codes: readonly string[]): string | undefined {
  if (observed.is === "refused" && codes.includes(observed.code)) return undefined
  return `${shown(observed)} in the place of ${codes.join(" or ")}`
}

const shown = (observed: Observed) => (observed.is === "refused" ? observed.code : observed.status)

/** A body that was carried out gives its outcome until that is acknowledged, and nothing afterwards. */
function sameAgain({ outcome, acknowledged }: Done, observed: Observed): string | undefined {
  if (acknowledged !== "no")
    return refusedWith(observed, ["ACTIVITY_REPLAYED", "VOTE_REPEATED", "ACTIVITY_FINAL", "ACTIVITY_UNKNOWN"])
  if (observed.is === "refused") return `${observed.code}: an outcome that was not acknowledged is lost`
  if (observed.activityId !== outcome.activityId) return "a body was carried out twice"
  return JSON.stringify(observed, bigints) === JSON.stringify(outcome, bigints)
    ? undefined
    : "an outcome is another one when it is given again"
}

const bigints = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

function submit(
  world: World,
  organization: Organization,
  request: Request,
  { userId }: User,
  observed: Observed,
  nowMs: number,
): string | undefined {
  if (organization.ended.has(request.fingerprint)) return refusedWith(observed, ["ACTIVITY_REPLAYED"])
  switch (verdictOf(organization, inputOf(request, userId), new Set([userId]))) {
    case "denied":
      return refusedWith(observed, ["PERMISSION_DENIED"])
    case "allowed": {
      const codes = impossible(organization, request.act)
      if (codes.length > 0) return refusedWith(observed, codes)
      if (observed.is !== "outcome" || observed.status !== "COMPLETED")
        return `${shown(observed)} in the place of COMPLETED`
      if (isKept(request, observed, undefined))
        organization.ended.set(request.fingerprint, observed.activityId)
      return perform(world, organization, request.act, observed, userId, nowMs)
    }
    default: {
      if (observed.is !== "outcome" || observed.status !== "CONSENSUS_NEEDED")
        return `${shown(observed)} in the place of CONSENSUS_NEEDED`
      const first = voteOf(request, userId, nowMs)
      const { activityId } = observed
      organization.pending.set(request.fingerprint, {
        activityId,
        request,
        submitterId: userId,
        votes: [first],
      })
      return undefined
    }
  }
}

const voteOf = ({ publicKey, fingerprint }: Request, userId: string, atMs: number): Vote => ({
  userId,
  publicKey,
  selection: "approve",
  atMs,
  lapsedAtMs: 0,
  fingerprint,
})

/** One vote on an activity that waits: by its name, or by its body again. */
function vote(
  world: World,
  organization: Organization,
  request: Request,
  pending: Pending | undefined,
  { userId }: User,
  observed: Observed,
  nowMs: number,
): string | undefined {
  const { act } = request
  const target = act.is === "vote" ? act.fingerprint : request.fingerprint
  if (pending === undefined)
    return refusedWith(
      observed,
      organization.ended.has(target) ? ["ACTIVITY_FINAL", "ACTIVITY_UNKNOWN"] : ["ACTIVITY_UNKNOWN"],
    )
  lapse(pending, nowMs)
  const counting = pending.votes.filter((each) => counts(organization, each, nowMs))
  const input = inputOf(pending.request, pending.submitterId)
  const approverIds = new Set(counting.map((each) => each.userId))
  const codes: string[] = []
  const hasVoted = approverIds.has(userId)
  if (pending.votes.some((each) => each.userId === userId && each.fingerprint === request.fingerprint))
    codes.push(hasVoted ? "VOTE_REPEATED" : "ACTIVITY_REPLAYED")
  if (pending.votes.some(({ lapsedAtMs }) => request.timestampMs < lapsedAtMs)) codes.push("REQUEST_STALE")
  if (!hasVoted && !voteCounts(organization, input, approverIds, userId)) codes.push("VOTE_NOT_COUNTED")
  const isRejection = act.is === "vote" && act.selection === "reject"
  if (isRejection && hasVoted) codes.push("VOTE_REPEATED")
  const isGone = !organization.users.some((user) => user.userId === pending.submitterId)
  if (!isRejection && isGone) codes.push("SUBMITTER_GONE")
  if (codes.length > 0) return refusedWith(observed, codes)
  if (isRejection) return ends(organization, target, pending, observed, "REJECTED")
  const isEnough = verdictOf(organization, input, approverIds) === "allowed"
  if (hasVoted && !isEnough) return refusedWith(observed, ["VOTE_REPEATED"])
  const all = new Set([...approverIds, userId])
  if (!isEnough && verdictOf(organization, input, all) !== "allowed") {
    pending.votes.push(voteOf(request, userId, nowMs))
    return observed.is === "outcome" &&
      observed.status === "CONSENSUS_NEEDED" &&
      observed.activityId === pending.activityId
      ? undefined
      : `${shown(observed)} in the place of CONSENSUS_NEEDED after a vote`
  }
  const failures = impossible(organization, pending.request.act)
  if (failures.length > 0) {
    if (observed.is === "refused") return refusedWith(observed, failures)
    if (!failures.includes(observed.failure))
      return `failed with ${observed.failure}, not ${failures.join(" or ")}`
    return ends(organization, target, pending, observed, "FAILED")
  }
  const fault = ends(organization, target, pending, observed, "COMPLETED")
  if (fault !== undefined || observed.is !== "outcome") return fault
  return perform(world, organization, pending.request.act, observed, pending.submitterId, nowMs)
}

function ends(
  organization: Organization,
  target: string,
  { activityId }: Pending,
  observed: Observed,
  status: string,
): string | undefined {
  if (observed.is !== "outcome" || observed.status !== status)
    return `${shown(observed)} in the place of ${status} after a vote`
  if (observed.activityId !== activityId) return "a vote ended another activity"
  organization.pending.delete(target)
  organization.ended.set(target, activityId)
  return undefined
}

/** Votes lapse together, a day after the first. */
function lapse({ votes }: Pending, nowMs: number): void {
  const first = votes.find(({ lapsedAtMs }) => lapsedAtMs === 0)
  if (first === undefined || nowMs < first.atMs + DAY_MS) return
  for (const each of votes) if (each.lapsedAtMs === 0) each.lapsedAtMs = first.atMs + DAY_MS
}

/** A vote counts until it lapses, while its key is one of its user's and has not expired. */
function counts({ users }: Organization, { userId, publicKey, lapsedAtMs }: Vote, nowMs: number): boolean {
  const user = users.find((each) => each.userId === userId)
  const credential = user && credentialsOf(user).find((each) => each.publicKey === publicKey)
  return lapsedAtMs === 0 && credential !== undefined && isLive(credential, nowMs)
}

/** Codes with which an act that is allowed cannot be done; none: it can. */
function impossible(organization: Organization, act: Act): string[] {
  const { users, quorum, policies } = organization
  const user = "userId" in act ? users.find(({ userId }) => userId === act.userId) : undefined
  switch (act.is) {
    case "delete-user":
      if (user === undefined) return ["RESOURCE_UNKNOWN"]
      return quorum.userIds.includes(act.userId) ? ["QUORUM_MEMBER"] : []
    case "create-key":
      if (user === undefined) return ["RESOURCE_UNKNOWN"]
      return ownerOf(organization, act.publicKey) ? ["CREDENTIAL_TAKEN"] : []
    case "delete-key":
      if (!user?.keys.some(({ keyId }) => keyId === act.keyId)) return ["RESOURCE_UNKNOWN"]
      return user.keys.length === 1 ? ["LAST_CREDENTIAL"] : []
    case "set-quorum": {
      const isValid =
        act.threshold >= 1 &&
        act.threshold <= act.userIds.length &&
        act.userIds.every((id) => users.some(({ userId }) => userId === id)) &&
        new Set(act.userIds).size === act.userIds.length
      return isValid ? [] : ["QUORUM_INVALID"]
    }
    case "create-tag":
      return act.userIds.every((id) => users.some(({ userId }) => userId === id)) ? [] : ["RESOURCE_UNKNOWN"]
    case "delete-tag":
      return organization.tagIds.includes(act.tagId) ? [] : ["RESOURCE_UNKNOWN"]
    case "create-child":
      return organization.parentId === "" ? [] : ["ACTIVITY_CALLER_INVALID"]
    case "delete-policy":
      return policies.some(({ policyId }) => policyId === act.policyId) ? [] : ["RESOURCE_UNKNOWN"]
    default:
      return []
  }
}

/** The effect of an act that was carried out, with the ids that the outcome gave. */
function perform(
  world: World,
  organization: Organization,
  act: Act,
  observed: Extract<Observed, { is: "outcome" }>,
  submitterId: string,
  nowMs: number,
): string | undefined {
  const { created, version, keys } = observed
  const known = [...world.values()].flatMap((each) => [
    ...each.users.map(({ userId }) => userId),
    ...each.users.flatMap((user) => user.keys.map(({ keyId }) => keyId)),
    ...each.policies.map(({ policyId }) => policyId),
    ...each.tagIds,
    ...each.walletIds,
    each.organizationId,
  ])
  const taken = created.find((id) => known.includes(id))
  if (taken !== undefined && act.is.startsWith("create")) return `${taken} was given twice`
  if (changesDocument(act)) {
    if (version !== organization.version + 1n) return `version ${version} follows ${organization.version}`
    organization.version = version
  } else if (version !== 0n) return `${act.is} changed the document`
  const [first = ""] = created
  switch (act.is) {
    case "create-user": {
      const keyId = keys.find(({ userId }) => userId === first)?.keyId ?? ""
      organization.users.push({
        userId: first,
        tagIds: [],
        keys: [{ keyId, publicKey: act.publicKey, createdAtMs: nowMs }],
        sessions: [],
      })
      return undefined
    }
    case "delete-user":
      organization.users = organization.users.filter(({ userId }) => userId !== act.userId)
      return undefined
    case "create-key":
      userOf(organization, act.userId).keys.push({
        keyId: first,
        publicKey: act.publicKey,
        createdAtMs: nowMs,
      })
      return undefined
    case "delete-key": {
      const user = userOf(organization, act.userId)
      user.keys = user.keys.filter(({ keyId }) => keyId !== act.keyId)
      return undefined
    }
    case "set-quorum":
      organization.quorum = { threshold: act.threshold, userIds: act.userIds }
      return undefined
    case "create-policy":
      organization.policies.push({ policyId: first, ...act.policy })
      return undefined
    case "delete-policy":
      organization.policies = organization.policies.filter(({ policyId }) => policyId !== act.policyId)
      return undefined
    case "create-tag":
      organization.tagIds.push(first)
      for (const id of act.userIds) userOf(organization, id).tagIds.push(first)
      return undefined
    case "delete-tag":
      organization.tagIds = organization.tagIds.filter((id) => id !== act.tagId)
      for (const user of organization.users) user.tagIds = user.tagIds.filter((id) => id !== act.tagId)
      return undefined
    case "create-wallet": {
      const [walletId = "", ...addresses] = created
      organization.walletIds.push(walletId)
      organization.accounts.push(...addresses.map((address) => ({ walletId, address })))
      return undefined
    }
    case "create-account":
      organization.accounts.push(...created.map((address) => ({ walletId: act.walletId, address })))
      return undefined
    case "create-child": {
      const [childId = "", rootId = ""] = created
      const keyId = keys.find(({ userId }) => userId === rootId)?.keyId ?? ""
      const key = { keyId, publicKey: act.publicKey, createdAtMs: nowMs }
      const root = { userId: rootId, tagIds: [], keys: [key], sessions: [] }
      world.set(childId, newOrganization(childId, root, organization.organizationId))
      return undefined
    }
    case "login": {
      const session = {
        publicKey: act.publicKey,
        createdAtMs: nowMs,
        expiresAtMs: nowMs + act.seconds * 1000,
      }
      userOf(organization, submitterId).sessions.push(session)
      return undefined
    }
    case "sign":
      return observed.signer === act.address
        ? undefined
        : `signed by ${observed.signer}, not by ${act.address}`
    case "vote":
      return "a vote is no act"
    default:
      return act satisfies never
  }
}

const userOf = ({ users }: Organization, id: string): User => users.find(({ userId }) => userId === id)!

const changesDocument = ({ is }: Act) =>
  !["create-wallet", "create-account", "create-child", "login", "sign", "vote"].includes(is)
