// The rules of an organization, from the guides alone (docs/policies.md, docs/ERRORS.md): what the signer must decide. Nothing here
// imports code of the product.

/** Consensus expressions that the oracle understands. `exactly` is not monotone: one approval too many takes it back. */
export type Consensus =
  | { is: "absent" }
  | { is: "user"; userId: string }
  | { is: "both"; userIds: [string, string] }
  | { is: "at-least"; count: number }
  /** So many approvals of users with the tag. */
  | { is: "tagged"; tagId: string; count: number }
  /** Two approvals, one of them of a user with any other tag. */
  | { is: "other-tag"; tagId: string }
  | { is: "exactly"; count: number }

/** Condition expressions: an absent one is true, `type` is about one type of activity. */
export type Condition = { is: "absent" } | { is: "type"; type: string }

export type Policy = {
  policyId: string
  effect: "EFFECT_ALLOW" | "EFFECT_DENY"
  condition: Condition
  consensus: Consensus
}

export type Key = { keyId: string; publicKey: string; createdAtMs: number }
/** A key that stamps for a while. */
export type Session = { publicKey: string; createdAtMs: number; expiresAtMs: number }
export type User = { userId: string; tagIds: string[]; keys: Key[]; sessions: Session[] }
export type Quorum = { threshold: number; userIds: string[] }

/** The parts of an organization that decisions read. */
export type Rules = { users: User[]; quorum: Quorum; policies: Policy[] }

/** Right to an activity beside policies, by its type. */
export type Right = "policies" | "root-quorum" | "own-credential" | "login"

/** An activity as rules see it. `ofUserId`: the user whose credentials it changes. */
export type DecisionInput = { type: string; right: Right; ofUserId?: string | undefined; submitterId: string }

export type Verdict = "allowed" | "waits" | "denied"

export const textOf = {
  consensus(consensus: Consensus): string | undefined {
    switch (consensus.is) {
      case "absent":
        return undefined
      case "user":
        return `approvers.any(u, u.id == '${consensus.userId}')`
      case "both":
        return consensus.userIds.map((userId) => `approvers.any(u, u.id == '${userId}')`).join(" && ")
      case "tagged":
        return `approvers.filter(u, u.tags.contains('${consensus.tagId}')).count() >= ${consensus.count}`
      case "other-tag":
        return `approvers.count() >= 2 && approvers.any(u, u.tags.any(t, t != '${consensus.tagId}'))`
      case "at-least":
        return `approvers.count() >= ${consensus.count}`
      case "exactly":
        return `approvers.count() == ${consensus.count}`
      default:
        return consensus satisfies never
    }
  },
  condition: (condition: Condition): string | undefined =>
    condition.is === "absent" ? undefined : `activity.type == '${condition.type}'`,
}

/** True if the approvals of these users are what the consensus asks for. */
function holds({ users }: Rules, consensus: Consensus, approverIds: ReadonlySet<string>): boolean {
  const approvers = () => users.filter(({ userId }) => approverIds.has(userId))
  switch (consensus.is) {
    case "absent":
      return true
    case "user":
      return approverIds.has(consensus.userId)
    case "both":
      return consensus.userIds.every((userId) => approverIds.has(userId))
    case "tagged":
      return approvers().filter(({ tagIds }) => tagIds.includes(consensus.tagId)).length >= consensus.count
    case "other-tag":
      return (
        approverIds.size >= 2 && approvers().some(({ tagIds }) => tagIds.some((id) => id !== consensus.tagId))
      )
    case "at-least":
      return approverIds.size >= consensus.count
    case "exactly":
      return approverIds.size === consensus.count
    default:
      return consensus satisfies never
  }
}

const isAbout = (condition: Condition, { type }: DecisionInput) =>
  condition.is === "absent" || condition.type === type

/** The decision with these approvals, by the steps of "The decision procedure". */
export function verdictOf(rules: Rules, input: DecisionInput, approverIds: ReadonlySet<string>): Verdict {
  const { quorum, policies } = rules
  const isRoot = quorum.userIds.includes(input.submitterId)
  if (quorum.userIds.filter((userId) => approverIds.has(userId)).length >= quorum.threshold) return "allowed"
  if (input.right === "root-quorum") return isRoot ? "waits" : "denied"
  const about = policies.filter(({ condition }) => isAbout(condition, input))
  const applying = about.filter(({ consensus }) => holds(rules, consensus, approverIds))
  if (applying.some(({ effect }) => effect === "EFFECT_DENY"))
    return isRoot && input.right !== "login" ? "waits" : "denied"
  if (applying.length > 0) return "allowed"
  if (input.right === "login" && approverIds.has(input.submitterId)) return "allowed"
  if (isRoot) return "waits"
  const lacking = about.filter(({ effect }) => effect === "EFFECT_ALLOW")
  if (
    lacking.some(({ consensus }) =>
      [...approverIds].some((id) => contributes(rules, consensus, id, approverIds)),
    )
  )
    return "waits"
  const isOwn = input.right === "own-credential" && input.ofUserId === input.submitterId
  return isOwn && approverIds.has(input.submitterId) ? "allowed" : "denied"
}

/**
 * An approval contributes if there are approvals, which other users could still give, that complete the consensus with it and
 * not without it.
 */
function contributes(
  rules: Rules,
  consensus: Consensus,
  userId: string,
  approverIds: ReadonlySet<string>,
): boolean {
  const given = [...approverIds].filter((id) => id !== userId)
  const others = rules.users
    .filter((user) => user.userId !== userId && !approverIds.has(user.userId))
    .map((user) => user.userId)
  return subsets(others).some((more) => {
    const without = new Set([...given, ...more])
    return !holds(rules, consensus, without) && holds(rules, consensus, new Set([...without, userId]))
  })
}

/** Whether the vote of a user who has not voted counts, for or against. */
export function voteCounts(
  rules: Rules,
  input: DecisionInput,
  approverIds: ReadonlySet<string>,
  userId: string,
): boolean {
  if (rules.quorum.userIds.includes(userId) || userId === input.submitterId) return true
  if (input.right === "root-quorum") return false
  return rules.policies.some(({ effect, condition, consensus }) => {
    if (effect !== "EFFECT_ALLOW" || !isAbout(condition, input)) return false
    // One that lacks nothing would have counted this vote before the others.
    const before = holds(rules, consensus, approverIds) ? new Set<string>() : approverIds
    return contributes(rules, consensus, userId, before)
  })
}

/** All subsets of at most three: no consensus of the oracle asks for more. */
function subsets(ids: readonly string[]): string[][] {
  const [first, ...rest] = ids
  if (first === undefined) return [[]]
  const without = subsets(rest)
  return [...without, ...without.filter(({ length }) => length < 3).map((one) => [first, ...one])]
}
