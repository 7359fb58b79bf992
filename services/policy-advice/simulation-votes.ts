import type { Organization } from "../../signer/core/organization/organization.ts"
import { possibleVotes } from "../../signer/core/policy/decision/credentials.ts"
import { type Decision, decide, undecidedSentence } from "../../signer/core/policy/decision/decide.ts"
import type { Approval, DecisionInput } from "../../signer/core/policy/decision/decision-input.ts"
import { countVote } from "../../signer/core/policy/decision/eligible-votes.ts"
import type { SimulationCost } from "./simulation-cost.ts"
import { SimulationFault } from "./simulation-fault.ts"
import type { Steps } from "../../signer/core/turns/steps.ts"

/** A user who approves with their first credential, or the first one that fits. */
export type Voter = {
  userId: string
  /** `CREDENTIAL_TYPE_…`. */
  credentialType?: string | undefined
  /** Public key of the credential, as resources show it. */
  publicKey?: string | undefined
}

/** The approval of a voter. @throws SimulationFault, naming the member */
export function approvalOf(
  organization: Organization,
  voter: Voter,
  member: string,
  nowMs: number,
): Approval {
  const { userId, credentialType, publicKey } = voter
  const user = organization.user(userId)
  if (user === undefined) {
    throw new SimulationFault(member, `${member}: the organization has no user ${userId}`)
  }
  const votes = possibleVotes(user, nowMs)
  const vote = votes.find(
    ({ credentials: [credential] }) =>
      (credentialType === undefined || credential?.type === credentialType) &&
      (publicKey === undefined || credential?.publicKey === publicKey),
  )
  if (vote !== undefined) return vote
  if (votes.length === 0)
    throw new SimulationFault(member, `${member}: user ${userId} has no credential that has not expired`)
  const types = votes.flatMap(({ credentials }) => credentials.map(({ type }) => type)).join(", ")
  const sentence = `user ${userId} has no credential of type ${credentialType}, but ${types}`
  throw new SimulationFault(member, sentence)
}

/** The decision after the last approval that counts. `input`: with the approvals that count. */
export type VotesDecision = { input: DecisionInput; decision: Decision }

/**
 * Decides the submission, then again after each vote, as the signer does. A denied submission gets no votes, and an
 * allowed activity runs at once. A vote that does not count is refused. An activity that once waits keeps waiting.
 * @param input with the submitter's approval alone
 * @throws SIMULATION_TOO_COSTLY
 */
export function* decideVotes(
  input: DecisionInput,
  votes: readonly Approval[],
  cost: SimulationCost,
): Steps<VotesDecision> {
  const submission = cost.run(input, decide)
  yield
  if (votes.length > 0 && isRefused(submission)) {
    const refusal = submission.outcome === "deny" ? "denied" : "refused"
    const reason = `${submission.reason}; it is ${refusal} at submission, before others can approve`
    return { input, decision: { ...submission, reason } }
  }
  let [current, decision] = [input, submission]
  const refused: string[] = []
  for (const vote of votes) {
    if (decision.outcome === "allow") break
    const { counts, undecidedPolicyIds } = cost.run(current, (asked) => countVote(asked, vote))
    yield
    if (!counts) {
      const why = undecidedPolicyIds.length > 0 ? ` (${undecidedSentence(undecidedPolicyIds)})` : ""
      refused.push(`${vote.user.userId}${why}`)
      continue
    }
    current = { ...current, approvals: [...current.approvals, vote] }
    decision = cost.run(current, decide)
    yield
  }
  return { input: current, decision: withRefusedVotes(waiting(decision, current !== input), refused) }
}

type Refused = Decision & { readonly outcome: "deny" | "undecided" }

function isRefused(decision: Decision): decision is Refused {
  return decision.outcome === "deny" || decision.outcome === "undecided"
}

/** A waiting activity that would now be denied keeps waiting: the root quorum can still complete it. */
function waiting(decision: Decision, hasWaited: boolean): Decision {
  if (!hasWaited || !isRefused(decision)) return decision
  return { ...decision, outcome: "consensus", reason: `${decision.reason}; the activity keeps waiting` }
}

function withRefusedVotes(decision: Decision, refused: readonly string[]): Decision {
  if (refused.length === 0 || decision.outcome === "allow") return decision
  return { ...decision, reason: `${decision.reason}; votes that do not count: ${refused.join(", ")}` }
}
