import { hash } from "node:crypto"
import { create, getOption, toBinary } from "@bufbuild/protobuf"
import { ResultSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type AppProof,
  type MfaStatus,
  MfaStatusSchema,
} from "../../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RefusalCodeSchema, refusal } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Outcome, Receipt } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  CreatedOrganizationSchema,
  ReceiptSchema,
  ReceiptStatementSchema,
  RefusedSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import type { MfaProgress, UsedMethod } from "../../../core/policy/decision/mfa.ts"
import type { PolicyOutcome } from "../../../core/policy/decision/policy-evaluator.ts"
import { Refusal, type RefusalName, refuse } from "../../../core/refusal.ts"
import type { OrganizationHead } from "../../ledger/ledger.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { historyOf } from "../state/history.ts"
import type { Excess } from "../../../core/policy/controls.ts"
import { writePolicyOutcomes } from "./policy-outcomes.ts"
import { writeRefused } from "./refused.ts"
import type { ActivityEffects } from "../workspace/run-activity.ts"

const RECEIPT_TAG = "countersign/v1/receipt"

const NOTHING = new Uint8Array(0)

/** The outcome of one request: its vote, the decision, and the activity's effects. */
export type ActivityOutcome = Pick<Vote, "voteId" | "userId" | "selection"> & {
  organizationId: string
  activityId: string
  /** SHA-256 of the activity's body, lower-case hexadecimal. */
  activityFingerprint: string
  decidedAtMs: number
  status: ActivityStatus
  details: DecisionDetails
  /** Digest of the list of policies that the API tier has stored; empty: it gets their ids with the outcomes. */
  heldPolicyList: Uint8Array
  /** Undefined: the activity did not run. */
  effects: ActivityEffects | undefined
  /** Why an activity that waited ended as FAILED. */
  failure: ActivityFailure | undefined
  /** True if this request submitted the activity; false: it voted on a pending one. */
  opened: boolean
  /** The vote with its stamp, as stored and proven. Undefined: nothing is stored, no proof is asked for. */
  vote: Vote | undefined
  /** Empty when no request asked for app proofs. */
  appProofs: AppProof[]
}

/** `wasAllowed`: its votes were complete; else it could no longer be decided. */
export type ActivityFailure = { refusal: Refusal; wasAllowed: boolean }

/** The reasons for a decision, as the reply shows them. */
export type DecisionDetails = {
  /** Empty when policies were not evaluated. */
  policyOutcomes: readonly PolicyOutcome[]
  /** Ids of users outside the root quorum whose votes would count. */
  voterIds: readonly string[]
  /** MFA progress of approvers who must satisfy a policy. */
  mfaProgress: readonly MfaProgress[]
}

/** Details of an outcome without a decision. */
export const NO_DETAILS: DecisionDetails = { policyOutcomes: [], voterIds: [], mfaProgress: [] }

/** A denied activity. The API tier stores its outcome, as a failed activity. */
export type Denial = {
  readonly refusal: Refusal
  readonly outcome: ActivityOutcome
  /** The velocity controls for which it is denied; empty: other rules deny it. */
  readonly exceeded: readonly Excess[]
  /** Receipt of the log; empty until the decision is a leaf. */
  readonly logReceipt: Uint8Array
}

export function denialOf(reason: string, outcome: ActivityOutcome, exceeded: readonly Excess[]): Denial {
  const code = exceeded.length === 0 ? "PERMISSION_DENIED" : "VELOCITY_CONTROL_EXCEEDED"
  return { refusal: refuse(code, reason), outcome, exceeded, logReceipt: NOTHING }
}

export function isDenial(value: object): value is Denial {
  return "exceeded" in value
}

/** True if an activity with this status still waits for votes. */
export function isPending(status: ActivityStatus): boolean {
  return status === ActivityStatus.CONSENSUS_NEEDED || status === ActivityStatus.AUTHENTICATORS_NEEDED
}

/**
 * The reply about an outcome. A signature writes nothing: it has no receipt, and the caller knows the body it is for.
 * `logReceipt`: empty while the decision is no leaf yet. The message is a literal because signatures are the hot path and `create` looks every field up.
 */
export function writeOutcome(outcome: ActivityOutcome, logReceipt: Uint8Array, receipt?: Receipt): Outcome {
  const { details, effects, failure } = outcome
  const reply: Outcome = {
    $typeName: "countersign.signer.v1.Outcome",
    decision: {
      $typeName: "countersign.signer.v1.Decision",
      activityId: outcome.activityId,
      voteId: outcome.voteId,
      userId: outcome.userId,
      decidedAtMs: BigInt(outcome.decidedAtMs),
      ...writePolicyOutcomes(details.policyOutcomes, outcome.heldPolicyList),
      voterIds: [...details.voterIds],
      mfaStatuses: details.mfaProgress.map(writeMfaProgress),
      logReceipt,
    },
    organizationId: receipt ? outcome.organizationId : "",
    activityFingerprint: receipt ? Buffer.from(outcome.activityFingerprint, "hex") : NOTHING,
    selection: outcome.selection,
    status: outcome.status,
    document: effects?.version?.notarized ?? NOTHING,
    records: effects?.changes?.records ?? [],
    createdOrganizations: effects === undefined ? [] : effects.created.map(writeCreated),
    unacknowledged: receipt !== undefined,
    opened: outcome.opened,
    ledgerSequence: 0n,
    appProofs: outcome.appProofs,
    signedTransactions: effects === undefined ? [] : [...effects.signed],
  }
  if (effects !== undefined) reply.result = effects.result
  if (failure !== undefined) reply.failure = create(RefusedSchema, writeRefused(failure.refusal))
  if (receipt !== undefined) reply.receipt = receipt
  return reply
}

/** The notarizer's statement that an activity had this outcome. */
export function makeReceipt(
  outcome: ActivityOutcome,
  head: OrganizationHead,
  { keyring, ledger }: Pick<ExecutionDeps, "keyring" | "ledger">,
): Receipt {
  const { effects } = outcome
  const statement = toBinary(
    ReceiptStatementSchema,
    create(ReceiptStatementSchema, {
      organizationId: outcome.organizationId,
      activityFingerprint: Buffer.from(outcome.activityFingerprint, "hex"),
      status: outcome.status,
      documentVersion: head.version,
      documentDigest: head.digest,
      resultDigest: effects ? hash("sha256", toBinary(ResultSchema, effects.result), "buffer") : NOTHING,
      decidedAtMs: BigInt(outcome.decidedAtMs),
      ...historyOf(outcome.organizationId, keyring.pins, ledger),
    }),
  )
  return create(ReceiptSchema, { statement, signature: keyring.notary.sign(RECEIPT_TAG, statement) })
}

function writeMfaProgress({ userId, policy, usedMethods, isMet }: MfaProgress): MfaStatus {
  return create(MfaStatusSchema, {
    userId,
    mfaPolicyId: policy.mfaPolicyId,
    satisfied: isMet,
    satisfiedMethods: usedMethods.map(writeMethod),
    requiredMethods: policy.steps.map(({ any }) => ({ any: any.map(writeMethod) })),
  })
}

function writeMethod({ type, id }: UsedMethod): Pick<UsedMethod, "type"> & { id?: string } {
  return id === "" ? { type } : { type, id }
}

function writeCreated({ organization, notarized, changes }: ActivityEffects["created"][number]) {
  const records = changes?.records ?? []
  return create(CreatedOrganizationSchema, { organizationId: organization.id, document: notarized, records })
}

/** The codes declared `final` in refusal.proto: they end an activity that waited for votes. */
export const FINAL: ReadonlySet<RefusalName> = new Set(
  RefusalCodeSchema.values
    .filter((value) => getOption(value, refusal).final)
    .map(({ localName }) => localName as RefusalName),
)

/** The refusal that ends a waiting activity. Any other error is thrown: the activity waits on. */
export function requireFinal(error: unknown): Refusal {
  if (error instanceof Refusal && FINAL.has(error.code)) return error
  throw error
}
