import { createHash } from "node:crypto"
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import { type Result, ResultSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import {
  ActivityStatus,
  type AuthenticationType,
  VoteSelection,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type AppProof,
  type MfaStatus,
  MfaStatusSchema,
  type PolicyOutcome as PolicyOutcomeMessage,
} from "../../../../proto/gen/countersign/api/v1/resources_pb.ts"
import {
  type Outcome,
  OutcomeSchema,
  type Receipt,
  ReceiptSchema,
  ReceiptStatementSchema,
  RecoveredOutcomeSchema,
  type RefusedSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import type { OrganizationHead } from "../../ledger/ledger.ts"
import type { UsedMethod, MfaProgress } from "../../../core/policy/decision/mfa.ts"
import type { PolicyOutcome } from "../../../core/policy/decision/policy-evaluator.ts"
import type { Notary } from "../../organization/notarize.ts"
import type { Birth } from "../workspace/run.ts"

const RECEIPT_TAG = "countersign/v1/receipt"

/** What an order came to, before it is written down. */
export type Settlement = {
  organizationId: string
  activityId: string
  activityFingerprint: string
  vote: Vote
  status: ActivityStatus
  result: Result | undefined
  failure?: MessageInitShape<typeof RefusedSchema>
  /** NotarizedDocument, when the document changed. */
  document: Uint8Array | undefined
  records: Uint8Array[]
  /** Organizations that it gave birth to. */
  born?: readonly Birth[]
  opened: boolean
  /** Empty where nobody asked for them. */
  appProofs: AppProof[]
  ruling: Ruling
}

/** What is told of a decision beside its effect. */
export type Ruling = {
  policyOutcomes: readonly PolicyOutcome[]
  /** Users beside the root quorum who may vote next. */
  voterIds: readonly string[]
  /** Of those who have approved and must prove more than a stamp. */
  standings: readonly MfaProgress[]
}

/** No policy was consulted, and nobody is waited for. */
export const UNRULED: Ruling = { policyOutcomes: [], voterIds: [], standings: [] }

/** The answer about a settlement that changed something, with the notarizer's receipt. */
export function changingOutcome(settlement: Settlement, head: OrganizationHead, notary: Notary): Outcome {
  return create(OutcomeSchema, {
    ...common(settlement),
    receipt: makeReceipt(settlement, head, notary),
    unacknowledged: true,
  })
}

/** What an order to sign came to. It is about the very body that was sent, so nothing says which. */
export type Signing = {
  activityId: string
  voteId: string
  userId: string
  nowMs: number
  result: Result
  appProofs: AppProof[]
  policyOutcomes: readonly PolicyOutcome[]
  standings: readonly MfaProgress[]
}

const NOTHING = new Uint8Array(0)

/**
 * The answer about an activity that only used a key: nothing to acknowledge. Written out, for this is the hot path
 * and `create` looks every member up.
 */
export function signingOutcome({
  nowMs,
  result,
  appProofs,
  policyOutcomes,
  standings,
  ...ids
}: Signing): Outcome {
  return {
    $typeName: "countersign.signer.v1.Outcome",
    decision: {
      $typeName: "countersign.signer.v1.Decision",
      ...ids,
      decidedAtMs: BigInt(nowMs),
      policyOutcomes: policyOutcomes.map(writeOutcome),
      voterIds: [],
      mfaStatuses: standings.map(writeStanding),
    },
    organizationId: "",
    activityFingerprint: NOTHING,
    selection: VoteSelection.APPROVED,
    status: ActivityStatus.COMPLETED,
    result,
    document: NOTHING,
    records: [],
    createdOrganizations: [],
    unacknowledged: false,
    opened: true,
    appProofs,
  }
}

function writeOutcome({ policyId, outcome }: PolicyOutcome): PolicyOutcomeMessage {
  return { $typeName: "countersign.api.v1.PolicyOutcome", policyId, outcome }
}

function writeStanding({ userId, policy, usedMethods: shown, isMet }: MfaProgress): MfaStatus {
  return create(MfaStatusSchema, {
    userId,
    mfaPolicyId: policy.mfaPolicyId,
    satisfied: isMet,
    satisfiedMethods: shown.map(writeMethod),
    requiredMethods: policy.steps.map(({ any }) => ({ any: any.map(writeMethod) })),
  })
}

function writeMethod({ type, id }: UsedMethod): { type: AuthenticationType; id?: string } {
  return id === "" ? { type } : { type, id }
}

/** The row that brings the same outcome back until the API tier says that it has it. */
export function writeRecovery(outcome: Outcome, vote: Vote, body: Uint8Array): Uint8Array {
  const recovery = { outcome, body, ...(vote.stamp && { stamp: vote.stamp }) }
  return toBinary(RecoveredOutcomeSchema, create(RecoveredOutcomeSchema, recovery))
}

function common(settlement: Settlement): MessageInitShape<typeof OutcomeSchema> {
  const { vote, document, result, failure, ruling } = settlement
  return {
    decision: {
      activityId: settlement.activityId,
      voteId: vote.voteId,
      userId: vote.userId,
      decidedAtMs: vote.createdAtMs,
      policyOutcomes: ruling.policyOutcomes.map(writeOutcome),
      voterIds: [...ruling.voterIds],
      mfaStatuses: ruling.standings.map(writeStanding),
    },
    organizationId: settlement.organizationId,
    activityFingerprint: Buffer.from(settlement.activityFingerprint, "hex"),
    selection: vote.selection,
    status: settlement.status,
    ...(result && { result }),
    ...(failure && { failure }),
    ...(document && { document }),
    records: settlement.records,
    createdOrganizations: (settlement.born ?? []).map(({ organization, notarized, changes }) => ({
      organizationId: organization.id,
      document: notarized,
      records: changes.records,
    })),
    opened: settlement.opened,
    appProofs: settlement.appProofs,
  }
}

function makeReceipt(settlement: Settlement, head: OrganizationHead, notary: Notary): Receipt {
  const { result } = settlement
  const statement = toBinary(
    ReceiptStatementSchema,
    create(ReceiptStatementSchema, {
      organizationId: settlement.organizationId,
      activityFingerprint: Buffer.from(settlement.activityFingerprint, "hex"),
      status: settlement.status,
      documentVersion: head.version,
      documentDigest: head.digest,
      resultDigest: result ? sha256(toBinary(ResultSchema, result)) : new Uint8Array(0),
      decidedAtMs: settlement.vote.createdAtMs,
    }),
  )
  return create(ReceiptSchema, { statement, signature: notary.sign(RECEIPT_TAG, statement) })
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest()
}
