// Simulates a decision with the signer's own procedure, for an activity that was not submitted. Pure. The result is advice:
// it is right only if its input is.
import type { ActivityEntry } from "../../proto/catalog.ts"
import { Outcome } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../signer/core/organization/organization.ts"
import { Refusal } from "../../signer/core/refusal.ts"
import { policiesOf } from "../../signer/core/policy/decision/policy-set.ts"
import { possibleVotes } from "../../signer/core/policy/decision/credentials.ts"
import { type Decision, decide } from "../../signer/core/policy/decision/decide.ts"
import type { Parameters } from "../../signer/core/policy/parameters/shown-parameters.ts"
import { approvalFacts, factsOf, timeFacts } from "../../signer/core/policy/facts/index.ts"
import { RequestFacts } from "../../signer/core/policy/facts/request-facts.ts"
import type { Holdings } from "../../signer/core/policy/facts/holdings.ts"
import {
  eligibleVoterIds,
  outcomeOfDenial,
  PolicyEvaluator,
} from "../../signer/core/policy/decision/policy-evaluator.ts"
import type { Approval, DecisionInput } from "../../signer/core/policy/decision/decision-input.ts"
import { type DraftSet, withDrafts } from "./draft.ts"
import { Explainer, type PolicyTrace } from "./trace.ts"

/** A user who approves with their first credential, or the first of this type. */
export type Voter = { userId: string; credentialType?: string | undefined }

export type SimulationInput = DraftSet & {
  document: OrganizationDocument
  activity: ActivityEntry
  /** The activity's parameters, as the reader of its type returned them. */
  parameters: Parameters
  /** The wallets and keys of the organization that the activity uses. */
  holdings: Holdings
  /** The submitting user. Submission is the first approval. */
  submitter: Voter
  /** Users who approve besides the submitter, in their order. */
  approvers: readonly Voter[]
  /** The activity was submitted earlier and has these approvals: nothing is decided before the last of them. */
  isRecorded?: boolean
  nowMs: number
}

/** The simulated decision. */
export type Simulation = {
  outcome: Outcome
  /** One sentence that says which step decided. */
  reason: string
  /** Traces of all policies, also where the decision did not evaluate them. */
  policies: PolicyTrace[]
  /** Ids of users outside the root quorum whose vote would count next. */
  voterIds: string[]
}

/** The input names a user or credential that the organization does not have, or has an invalid payload. */
export class SimulationFault extends Error {
  /** `submitter`, `approvers[1]`, or a path that begins with `parameters`. */
  readonly member: string

  constructor(member: string, sentence: string, cause?: unknown) {
    super(sentence, { cause })
    this.member = member
  }
}

/** @throws SimulationFault */
export function simulate(simulation: SimulationInput): Simulation {
  const { input, decision } = decideAfterEachApproval(inputOf(simulation), simulation.isRecorded === true)
  const { document } = input.organization
  const explainer = new Explainer(document, {
    condition: input.facts.reader(0),
    consensus: approvalFacts(input.approvals),
    time: timeFacts(input.nowMs),
  })
  const outcomes = outcomesOf(input, decision)
  return {
    outcome: outcomeOf(decision),
    reason: reasonOf(decision),
    policies: document.policies.map((policy, index) =>
      explainer.trace(policy, outcomes[index] ?? Outcome.UNSPECIFIED),
    ),
    voterIds: decision.outcome === "consensus" ? eligibleVoterIds(input) : [],
  }
}

/** Decides after each approval, as the signer does: a denied submission gets no votes, an allowed activity runs at once. */
function decideAfterEachApproval(
  input: DecisionInput,
  isRecorded: boolean,
): { input: DecisionInput; decision: Decision } {
  const counts = input.approvals.map((_, index) => index + 1)
  for (const count of isRecorded ? [] : counts.slice(0, -1)) {
    const soFar = { ...input, approvals: input.approvals.slice(0, count) }
    const decision = decide(soFar)
    if (decision.outcome === "allow") return { input: soFar, decision }
    if (count === 1 && decision.outcome === "deny") {
      const reason = `${decision.reason}; it is denied at submission, before others can approve`
      return { input: soFar, decision: { ...decision, reason } }
    }
  }
  return { input, decision: decide(input) }
}

/** Limit on the text of all drafts, UTF-16 code units: while they are compiled, the process serves no other request. */
const MAX_DRAFT_LENGTH = 128 * 1024

function inputOf(simulation: SimulationInput): DecisionInput {
  requireShort(simulation)
  const { activity, parameters, holdings, submitter, approvers, nowMs } = simulation
  const organization = new Organization(withDrafts(simulation.document, simulation), NO_DIGEST, 0)
  const { roots } = policiesOf(organization)
  // A user who approves twice counts once.
  const voterIds = [submitter, ...approvers].map(({ userId }) => userId)
  const others = approvers.filter(({ userId }, index) => voterIds.indexOf(userId) === index + 1)
  return {
    organization,
    activity,
    parameters,
    submitterId: submitter.userId,
    approvals: [
      approvalOf(organization, submitter, "submitter", nowMs),
      ...others.map((voter) =>
        approvalOf(organization, voter, `approvers[${approvers.indexOf(voter)}]`, nowMs),
      ),
    ],
    facts: new RequestFacts(
      asSimulationFault(() => factsOf({ activity, parameters, holdings: () => holdings }, roots)),
    ),
    nowMs,
  }
}

function requireShort({ drafts }: DraftSet): void {
  const texts = drafts.flatMap(({ condition = "", consensus = "", time = "" }) => [
    condition,
    consensus,
    time,
  ])
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= MAX_DRAFT_LENGTH) return
  const sentence = `expressions of all drafts have at most ${MAX_DRAFT_LENGTH} characters, these have ${length}`
  throw new SimulationFault("draftPolicies", sentence)
}

function asSimulationFault<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
    throw new SimulationFault(cause.field ?? "parameters", cause.message, cause)
  }
}

/** A simulated document is not notarized, so it has no digest. */
const NO_DIGEST = new Uint8Array(0)

function approvalOf(organization: Organization, voter: Voter, member: string, nowMs: number): Approval {
  const { userId, credentialType } = voter
  const user = organization.user(userId)
  if (user === undefined) {
    throw new SimulationFault(member, `${member}: the organization has no user ${userId}`)
  }
  const votes = possibleVotes(user, nowMs)
  const vote = votes.find(
    ({ credentials }) => credentialType === undefined || credentials[0]?.type === credentialType,
  )
  if (vote !== undefined) return vote
  if (votes.length === 0)
    throw new SimulationFault(member, `${member}: user ${userId} has no credential that has not expired`)
  const types = votes.flatMap(({ credentials }) => credentials.map(({ type }) => type)).join(", ")
  throw new SimulationFault(
    member,
    `user ${userId} has no credential of type ${credentialType}, but ${types}`,
  )
}

/** Policies are evaluated even where the decision did not need them, to show their outcomes. */
function outcomesOf(input: DecisionInput, { policyOutcomes }: Decision): Outcome[] {
  if (policyOutcomes.length > 0) return policyOutcomes.map(({ outcome }) => outcome)
  return new PolicyEvaluator(input).evaluatePolicies(0).map(({ outcome }) => outcome)
}

function outcomeOf(decision: Decision): Outcome {
  switch (decision.outcome) {
    case "allow":
      return Outcome.ALLOW
    case "consensus":
      return Outcome.REQUIRES_CONSENSUS
    case "deny":
      return outcomeOfDenial(decision.policyOutcomes)
    default:
      return decision satisfies never
  }
}

const REASONS = {
  "root-quorum": "the root quorum is complete; policies do not limit it",
  policy: "a policy allows it",
  login: "every user may log in as themselves",
  "own-credential": "every user may manage their own credentials",
} as const

function reasonOf(decision: Decision): string {
  return decision.outcome === "allow" ? REASONS[decision.by] : decision.reason
}
