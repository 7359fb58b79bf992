// Simulates a decision with the signer's own procedure, for an activity that was not submitted. Pure. The result is advice:
// it is right only if its input is.
import type { ActivityEntry } from "../../proto/catalog.ts"
import { Outcome } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Interfaces } from "../../signer/core/contract-interface/interfaces.ts"
import { Organization } from "../../signer/core/organization/organization.ts"
import { Refusal } from "../../signer/core/refusal.ts"
import { compileAll, policiesOf } from "../../signer/core/policy/decision/policy-set.ts"
import { type Decision, decide, decidingItem } from "../../signer/core/policy/decision/decide.ts"
import type { Parameters } from "../../signer/core/policy/parameters/shown-parameters.ts"
import { factsOf } from "../../signer/core/policy/facts/index.ts"
import { RequestFacts } from "../../signer/core/policy/facts/request-facts.ts"
import type { ChainValues } from "../../signer/core/send/fill.ts"
import {
  type BucketReader,
  readControls,
  rootsCounted,
} from "../../signer/core/modules/policies/velocity/counting.ts"
import { withControls } from "../../signer/core/modules/policies/velocity/root.ts"
import type { Holdings } from "../../signer/core/policy/facts/holdings.ts"
import { eligibleVoters, possibleVoterIds } from "../../signer/core/policy/decision/eligible-votes.ts"
import { outcomeOfDenial, PolicyEvaluator } from "../../signer/core/policy/decision/policy-evaluator.ts"
import { PolicySelection } from "../../signer/core/policy/decision/policy-selection.ts"
import type { DecisionInput } from "../../signer/core/policy/decision/decision-input.ts"
import { type DraftSet, withDrafts } from "./draft.ts"
import { simulatedSend } from "./simulated-send.ts"
import { SimulationCost } from "./simulation-cost.ts"
import { SimulationFault } from "./simulation-fault.ts"
import { approvalOf, decideVotes, type Voter, type VotesDecision } from "./simulation-votes.ts"
import { explainPolicies, type PolicyTrace } from "./trace.ts"
import { runAtOnce, type Steps } from "../../signer/core/turns/steps.ts"

export type SimulationInput = DraftSet & {
  document: OrganizationDocument
  activity: ActivityEntry
  /** The activity's parameters, as the reader of its type returned them. */
  parameters: Parameters
  /** The wallets and keys of the organization that the activity uses. */
  holdings: Holdings
  /** Holdings of each signer that a send names beside others, by its address. Absent: `holdings` are those of all. */
  signers?: ReadonlyMap<string, Holdings>
  /** Values that a send takes from its chain where its parameters have none. */
  chain?: ChainValues
  /** Earlier counts of velocity controls; absent: zero. */
  bucketOf?: BucketReader
  /** Interfaces that the organization has uploaded, for the contracts that the activity calls. */
  interfaces: Interfaces
  /** The submitting user. Submission is the first approval. */
  submitter: Voter
  /** Users who approve besides the submitter, in their order. */
  approvers: readonly Voter[]
  /** Present: the activity was submitted earlier. All its approvals count, and nothing is decided before the last one. */
  recorded?: {
    /** True if the submitter's approval still counts. */
    hasSubmission: boolean
  }
  nowMs: number
}

/** The simulated decision. */
export type Simulation = {
  outcome: Outcome
  /** One sentence that says which step decided. */
  reason: string
  /** In a batch: index of the payload that decided. */
  payloadIndex?: number
  /** Traces of all policies, also where the decision did not evaluate them. */
  policies: PolicyTrace[]
  /** Ids of users outside the root quorum whose vote would count next. */
  voterIds: string[]
}

/** Simulates at once. @throws SimulationFault, SIMULATION_TOO_COSTLY, SendIncomplete */
export function simulate(simulation: SimulationInput): Simulation {
  return runAtOnce(simulateInSteps(simulation))
}

/**
 * Simulates in steps: a caller that serves others lets them run between some of them.
 * @throws SimulationFault, SIMULATION_TOO_COSTLY
 * @throws SendIncomplete if policies read a send and neither its parameters nor `chain` have the values of its chain
 */
export function* simulateInSteps(simulation: SimulationInput): Steps<Simulation> {
  requireShort(simulation)
  const organization = new Organization(withDrafts(simulation.document, simulation), NO_DIGEST, 0)
  yield* compileAll(organization)
  const cost = new SimulationCost()
  const prepared = inputOf(simulation, organization)
  yield
  try {
    yield* cost.runInSteps(prepared, (asked) =>
      new PolicyEvaluator(asked, new PolicySelection(asked).policies).evaluateConditions(),
    )
  } catch (cause) {
    throw asFault(cause)
  }
  const { input, decision } = yield* decideSimulation(prepared, simulation, cost)
  const policies = yield* explainPolicies(input, decision)
  const voterIds = decision.outcome === "consensus" ? possibleVoterIds(cost.run(input, eligibleVoters)) : []
  return {
    outcome: outcomeOf(decision),
    reason: [reasonOf(decision), ...(simulation.bucketOf ? [] : countersUnknown(organization))].join("; "),
    ...(decision.items.length > 1 && { payloadIndex: decidingItem(decision.items) }),
    policies,
    voterIds,
  }
}

function* decideSimulation(
  input: DecisionInput,
  { submitter, approvers, recorded }: SimulationInput,
  cost: SimulationCost,
): Steps<VotesDecision> {
  const { organization, nowMs } = input
  // A user who approves twice counts once.
  const voterIds = [submitter, ...approvers].map(({ userId }) => userId)
  const others = approvers.filter(({ userId }, index) => voterIds.indexOf(userId) === index + 1)
  const submission =
    recorded?.hasSubmission === false ? [] : [approvalOf(organization, submitter, "submitter", nowMs)]
  const votes = others.map((voter) =>
    approvalOf(organization, voter, `approvers[${approvers.indexOf(voter)}]`, nowMs),
  )
  if (recorded === undefined) return yield* decideVotes({ ...input, approvals: submission }, votes, cost)
  const all = { ...input, approvals: [...submission, ...votes] }
  return { input: all, decision: cost.run(all, decide) }
}

/** Limit on the text of all drafts, UTF-16 code units: each simulation compiles them. */
const MAX_DRAFT_LENGTH = 128 * 1024

function inputOf(simulation: SimulationInput, organization: Organization): DecisionInput {
  const { activity, parameters, holdings, signers, chain, bucketOf = () => [] } = simulation
  const { interfaces, submitter, nowMs } = simulation
  const { roots } = policiesOf(organization)
  const { userId: submitterId } = submitter
  const further = rootsCounted(organization)
  const read = further.length === 0 ? roots : new Set([...roots, ...further])
  const send = simulatedSend(activity, parameters, chain, nowMs)
  const ofSigner = (signer?: string) => signers?.get(signer ?? "") ?? holdings
  const items = asSimulationFault(() =>
    factsOf({ activity, parameters, holdings: ofSigner, interfaces, ...(send && { send }) }, read),
  )
  const counted = { activity, parameters, items, submitterId, holdings: ofSigner }
  // The signer's ledger alone has the counters.
  const controls = asSimulationFault(() => readControls(organization, counted, bucketOf, nowMs))
  const facts = new RequestFacts(items.map((item) => withControls(item, controls)))
  return { organization, activity, parameters, submitterId, approvals: [], facts, controls, nowMs }
}

/** Said where a policy reads a control. */
const WITHOUT_COUNTERS = "velocity controls are simulated as if they had counted nothing before this request"

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
    throw asFault(cause)
  }
}

/** A refusal of the input becomes a fault. The refusal of a simulation that costs too much stays one. */
function asFault(cause: unknown): unknown {
  if (!(cause instanceof Refusal) || cause.code === "SIMULATION_TOO_COSTLY") return cause
  return new SimulationFault(cause.field ?? "parameters", cause.message, cause)
}

/** A simulated document is not notarized, so it has no digest. */
const NO_DIGEST = new Uint8Array(0)

function outcomeOf(decision: Decision): Outcome {
  switch (decision.outcome) {
    case "allow":
      return Outcome.ALLOW
    case "consensus":
      return Outcome.REQUIRES_CONSENSUS
    case "deny":
      return outcomeOfDenial(decision.policyOutcomes)
    case "undecided":
      return Outcome.ERROR
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

function countersUnknown(organization: Organization): string[] {
  return policiesOf(organization).controlsRead.size === 0 ? [] : [WITHOUT_COUNTERS]
}

function reasonOf(decision: Decision): string {
  return decision.outcome === "allow" ? REASONS[decision.by] : decision.reason
}
