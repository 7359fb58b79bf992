import type { Act, Organization, World } from "./oracle.ts"
import type { Condition, Consensus, Policy, User } from "./rules.ts"
import type { OrderStep } from "./steps.ts"

const MAX_USERS = 6
const MAX_ORGANIZATIONS = 4
// A user has at most ten sessions; one more ends the oldest.
const MAX_SESSIONS = 6

export const TYPES = {
  "create-user": "ACTIVITY_TYPE_CREATE_USERS_V3",
  "delete-user": "ACTIVITY_TYPE_DELETE_USERS",
  "create-key": "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
  "delete-key": "ACTIVITY_TYPE_DELETE_API_KEYS",
  "set-quorum": "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
  "create-policy": "ACTIVITY_TYPE_CREATE_POLICY_V3",
  "delete-policy": "ACTIVITY_TYPE_DELETE_POLICY",
  "create-tag": "ACTIVITY_TYPE_CREATE_USER_TAG",
  "delete-tag": "ACTIVITY_TYPE_DELETE_USER_TAGS",
  "create-wallet": "ACTIVITY_TYPE_CREATE_WALLET",
  "create-account": "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
  "create-child": "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
  login: "ACTIVITY_TYPE_STAMP_LOGIN",
  sign: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
} as const
const POLICY_TYPES = Object.values(TYPES)

const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)]

/** Where a request is made, and by whom. `newKey`: public key of a key that nobody has yet. */
export type ActContext = { world: World; organization: Organization; actor: User; newKey: () => string }

/** The act that a step's numbers choose among what there is; another one where there is nothing of its kind. */
export function chooseAct({ act, one, other }: OrderStep, context: ActContext): Act {
  const { world, organization, actor, newKey } = context
  const { users, policies, tagIds, walletIds, accounts } = organization
  const user = users[one % users.length]!
  switch (act) {
    case "create-user":
      if (users.length < MAX_USERS) return { is: "create-user", publicKey: newKey() }
      return { is: "delete-user", userId: user.userId }
    case "delete-user":
      return { is: "delete-user", userId: user.userId }
    case "create-key":
      return { is: "create-key", userId: one % 2 ? actor.userId : user.userId, publicKey: newKey() }
    case "delete-key": {
      const owner = one % 2 ? actor : user
      return { is: "delete-key", userId: owner.userId, keyId: pick(owner.keys, other)!.keyId }
    }
    case "set-quorum":
      return chooseQuorum(one, other, users)
    case "create-policy":
      return { is: "create-policy", policy: choosePolicy(one, other, organization) }
    case "delete-policy": {
      const policyId = pick(policies, one)?.policyId
      return policyId === undefined ? { is: "create-wallet" } : { is: "delete-policy", policyId }
    }
    case "create-tag":
      return { is: "create-tag", userIds: someOf(users, other) }
    case "delete-tag": {
      const tagId = pick(tagIds, one)
      return tagId === undefined
        ? { is: "create-tag", userIds: someOf(users, other) }
        : { is: "delete-tag", tagId }
    }
    case "create-account": {
      const walletId = pick(walletIds, one)
      return walletId === undefined ? { is: "create-wallet" } : { is: "create-account", walletId }
    }
    case "create-child":
      return world.size < MAX_ORGANIZATIONS
        ? { is: "create-child", publicKey: newKey() }
        : { is: "create-wallet" }
    case "login":
      if (actor.sessions.length > MAX_SESSIONS) return { is: "create-wallet" }
      return { is: "login", publicKey: newKey(), seconds: [60, 900, 100_000][one % 3]! }
    case "sign": {
      const address = pick(accounts, one)?.address
      return address === undefined ? { is: "create-wallet" } : { is: "sign", address }
    }
    case "approve":
    case "reject":
      return chooseVote(act, one, other, organization)
    default:
      return { is: "create-wallet" }
  }
}

/** The users at the bits of a number. */
function someOf(users: readonly User[], bits: number): string[] {
  return users.filter((_, index) => (bits >> index) & 1).map(({ userId }) => userId)
}

function chooseQuorum(one: number, other: number, users: readonly User[]): Act {
  const userIds = someOf(users, other)
  const members = userIds.length > 0 ? userIds : [users[0]!.userId]
  return { is: "set-quorum", threshold: 1 + (one % members.length), userIds: members }
}

/** A vote on what waits, at times on what has ended; a new policy where nothing does. */
function chooseVote(
  selection: "approve" | "reject",
  one: number,
  other: number,
  organization: Organization,
): Act {
  const { pending, ended } = organization
  const waiting = pick([...pending.keys()], other)
  const fingerprint = waiting ?? (one % 5 === 0 ? pick([...ended.keys()], other) : undefined)
  if (fingerprint !== undefined) return { is: "vote", selection, fingerprint }
  return { is: "create-policy", policy: choosePolicy(one, other, organization) }
}

function choosePolicy(one: number, other: number, { users, tagIds }: Organization): Omit<Policy, "policyId"> {
  const tagId = pick(tagIds, one)
  const idOf = (at: number) => users[at % users.length]!.userId
  const consensuses: Consensus[] = [
    { is: "absent" },
    { is: "user", userId: idOf(one) },
    { is: "user", userId: idOf(one + 1) },
    { is: "both", userIds: [idOf(one), idOf(one + 1)] },
    { is: "at-least", count: 2 },
    { is: "at-least", count: 3 },
    { is: "exactly", count: 2 },
    ...(tagId === undefined ? [] : taggedBy(tagId)),
  ]
  const type = POLICY_TYPES[one % POLICY_TYPES.length]!
  const condition: Condition = other % 4 === 0 ? { is: "absent" } : { is: "type", type }
  const effect = other % 5 === 0 ? "EFFECT_DENY" : "EFFECT_ALLOW"
  return { effect, condition, consensus: consensuses[other % consensuses.length]! }
}

function taggedBy(tagId: string): Consensus[] {
  const tagged = [1, 2].map((count): Consensus => ({ is: "tagged", tagId, count }))
  return [...tagged, { is: "other-tag", tagId }]
}
