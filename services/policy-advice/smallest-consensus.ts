import type { OrganizationDocument, User } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { possibleVotes } from "../../signer/core/policy/decision/credentials.ts"
import type { Approval } from "../../signer/core/policy/decision/decision-input.ts"
import { Budget, type Compiled, evaluate } from "../../signer/core/policy/expression.ts"
import { approvalFacts } from "../../signer/core/policy/facts/approvals.ts"

/** Steps of one search, some milliseconds, and the most users of a set. */
const MAX_STEPS = 200_000
const MAX_USERS = 4

/** The smallest sets of users whose approvals together make a consensus true, in the order of the document. */
export type SmallestConsensus = {
  sets: readonly (readonly User[])[]
  /** All sets of so many users were tried. */
  triedUpTo: number
}

/**
 * Searches the smallest sets, each user with their first credential that has not expired. A set's submitter is one of its users. The
 * search ends with the size of the first set it finds, at four users, or at its limit of steps.
 */
export function smallestConsensus(
  consensus: Compiled,
  { users }: Pick<OrganizationDocument, "users">,
  nowMs: number,
): SmallestConsensus {
  const votes = users.flatMap((user) => possibleVotes(user, nowMs).slice(0, 1))
  const budget = new Budget(MAX_STEPS)
  const holds = (approvals: readonly Approval[]) => {
    const evaluation = evaluate(consensus, approvalFacts(approvals), budget)
    return "value" in evaluation && evaluation.value
  }
  for (let size = 1; size <= MAX_USERS; size++) {
    const sets: User[][] = []
    for (const approvals of combinations(votes, size)) {
      if (budget.left === 0) return { sets: [], triedUpTo: size - 1 }
      if (holds(approvals)) sets.push(approvals.map(({ user }) => user))
    }
    if (sets.length > 0 || size >= votes.length) return { sets, triedUpTo: size }
  }
  return { sets: [], triedUpTo: MAX_USERS }
}

function* combinations<T>(items: readonly T[], size: number, from = 0): Generator<T[]> {
  if (size === 0) {
    yield []
    return
  }
  for (let index = from; index <= items.length - size; index++)
    for (const rest of combinations(items, size - 1, index + 1)) yield [items[index] as T, ...rest]
}
