import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { policiesOf } from "./compiled.ts"
import type { PolicyOutcome } from "./outcome.ts"
import type { DecisionInput } from "./decision-input.ts"
import { Court, type Verdict } from "./verdicts.ts"

/** `policyOutcomes`: of every policy, in the order of the document; none where policies were not consulted. */
export type Decision = Ruling & { readonly policyOutcomes: readonly PolicyOutcome[] }

type Ruling =
  | { readonly outcome: "allow"; readonly by: "root-quorum" | "policy" | "login" | "own-credential" }
  | { readonly outcome: "consensus"; readonly reason: string }
  | { readonly outcome: "deny"; readonly reason: string }

/** One step of the procedure: it decides, or leaves it to the next. */
type Step = (input: DecisionInput, verdicts: readonly Verdict[]) => Ruling | undefined

/** Steps in which policies have no say. */
const BEFORE_POLICIES: readonly Step[] = [ownImport, rootQuorum, rootQuorumOnly]

/** Steps that know what every policy came to. */
const AFTER_POLICIES: readonly Step[] = [policyDenies, policyAllows, login, moreMustApprove, ownCredential]

/**
 * The decision procedure, in its order:
 *
 * 1. a session that is confined was held to it before anything comes here (execution/session-scope.ts)
 * 2. an import is for somebody else: denied
 * 3. the root quorum is complete: allowed
 * 4. what is the root quorum's alone waits for it, or is denied
 * 5. every policy is judged, each by itself
 * 6. a DENY applies: denied; a root member may still bring the quorum together
 * 7. an ALLOW applies: allowed
 * 8. a login is everybody's own
 * 9. an ALLOW waits for votes to which those cast contribute, or a root member is short of the threshold: waits
 * 10. own credentials are everybody's own
 * 11. denied
 *
 * Of a batch, steps 5 to 11 are taken for each part: it runs when each is allowed.
 */
export function decide(input: DecisionInput): Decision {
  const early = firstRuling(BEFORE_POLICIES, input, [])
  if (early !== undefined) return { ...early, policyOutcomes: [] }
  const parts = judgeParts(input)
  const rulings = parts.map((verdicts) => firstRuling(AFTER_POLICIES, input, verdicts) ?? IMPLICIT_DENY)
  return { ...strictest(rulings), policyOutcomes: outcomesOf(parts) }
}

function judgeParts(input: DecisionInput): (readonly Verdict[])[] {
  if (policiesOf(input.organization).policies.length === 0) return [[]]
  const court = new Court(input)
  return input.facts.map((facts) => court.judge(facts))
}

const IMPLICIT_DENY: Ruling = { outcome: "deny", reason: "No policies evaluated to outcome: Allow" }

function firstRuling(
  steps: readonly Step[],
  input: DecisionInput,
  verdicts: readonly Verdict[],
): Ruling | undefined {
  for (const step of steps) {
    const ruling = step(input, verdicts)
    if (ruling !== undefined) return ruling
  }
  return undefined
}

function strictest(rulings: readonly Ruling[]): Ruling {
  const of = (outcome: Ruling["outcome"]) => rulings.find((ruling) => ruling.outcome === outcome)
  return of("deny") ?? of("consensus") ?? of("allow") ?? IMPLICIT_DENY
}

/** Of a batch each policy's outcome on the part that it was hardest on. */
function outcomesOf(parts: readonly (readonly Verdict[])[]): PolicyOutcome[] {
  const [first = [], ...others] = parts
  return first.map(({ policyId, outcome }, index) => ({
    policyId,
    outcome: others.reduce((hardest, verdicts) => harder(hardest, verdicts[index]?.outcome), outcome),
  }))
}

/** From the mildest to the hardest. */
const HARDNESS: readonly Outcome[] = [
  Outcome.ALLOW,
  Outcome.REQUIRES_CONSENSUS,
  Outcome.TIME_INACTIVE,
  Outcome.DENY_IMPLICIT,
  Outcome.ERROR,
  Outcome.DENY_EXPLICIT,
]

function harder(one: Outcome, other: Outcome | undefined): Outcome {
  return other !== undefined && HARDNESS.indexOf(other) > HARDNESS.indexOf(one) ? other : one
}

/** The key that an import is sealed to is its user's own: nobody, the root quorum neither, imports as another. */
function ownImport({ activity, parameters, submitterId }: DecisionInput): Ruling | undefined {
  if (activity.action !== "IMPORT" || isUser(parameters.userId, submitterId)) return undefined
  return { outcome: "deny", reason: "imports must target the caller's own user" }
}

function isUser(named: unknown, userId: string): boolean {
  return typeof named === "string" && named.toLowerCase() === userId
}

function rootQuorum({ organization, approvals }: DecisionInput): Ruling | undefined {
  const approverIds = approvals.map(({ user }) => user.userId)
  return organization.isRootQuorum(approverIds) ? { outcome: "allow", by: "root-quorum" } : undefined
}

function rootQuorumOnly({ activity, organization, submitterId }: DecisionInput): Ruling | undefined {
  if (activity.authority !== Authority.ROOT_QUORUM) return undefined
  if (organization.isRoot(submitterId)) return ROOT_MEMBER_WAITS
  return { outcome: "deny", reason: "only the root quorum can do this" }
}

/**
 * Policies do not limit the root quorum, or a bad DENY could never be removed: what a member submitted waits for the
 * others. But for a login: nobody waits for one, and it would open a way in that the DENY shut.
 */
function policyDenies(input: DecisionInput, verdicts: readonly Verdict[]): Ruling | undefined {
  const policyIds = verdicts.filter(({ denies }) => denies).map(({ policyId }) => policyId)
  if (policyIds.length === 0) return undefined
  const { activity, organization, submitterId } = input
  if (organization.isRoot(submitterId) && activity.authority !== Authority.LOGIN) return ROOT_MEMBER_WAITS
  return { outcome: "deny", reason: `The following policies denied this action: ${policyIds.join(", ")}` }
}

function policyAllows(_input: DecisionInput, verdicts: readonly Verdict[]): Ruling | undefined {
  const allows = verdicts.some(({ outcome }) => outcome === Outcome.ALLOW)
  return allows ? { outcome: "allow", by: "policy" } : undefined
}

/** A session gives a user nothing that his stamp did not: for a root member's nobody else has to approve. */
function login(input: DecisionInput): Ruling | undefined {
  const isOwn = input.activity.authority === Authority.LOGIN && approvesHimself(input)
  return isOwn ? { outcome: "allow", by: "login" } : undefined
}

function moreMustApprove(
  { organization, submitterId }: DecisionInput,
  verdicts: readonly Verdict[],
): Ruling | undefined {
  if (organization.isRoot(submitterId)) return ROOT_MEMBER_WAITS
  const waits = verdicts.some(({ outcome }) => outcome === Outcome.REQUIRES_CONSENSUS)
  return waits ? { outcome: "consensus", reason: "a policy waits for more approvals" } : undefined
}

const ROOT_MEMBER_WAITS: Ruling = {
  outcome: "consensus",
  reason: "more members of the root quorum must approve",
}

/** Of the submitter's own word, and while it counts: an old submission is no standing permission. */
function ownCredential(input: DecisionInput): Ruling | undefined {
  const { activity, parameters, submitterId } = input
  const isOwn = activity.authority === Authority.OWN_CREDENTIAL && parameters.userId === submitterId
  return isOwn && approvesHimself(input) ? { outcome: "allow", by: "own-credential" } : undefined
}

function approvesHimself({ approvals, submitterId }: DecisionInput): boolean {
  return approvals.some(({ user }) => user.userId === submitterId)
}
