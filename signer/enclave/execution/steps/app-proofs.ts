import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { ResultSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { ActivityStatus, Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type AppProof, AppProofSchema } from "../../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import {
  PrivateKeyRecordSchema,
  type Record,
  RecordKind,
  WalletAccountRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { outcomeOfDenial, type PolicyOutcome } from "../../../core/policy/decision/policy-evaluator.ts"
import {
  type AddressStatement,
  type ApprovalStatement,
  addressPayload,
  type OutcomeName,
  outcomePayload,
} from "../../../core/proof/app-proof.ts"
import { decisionContextDigest } from "../../../core/proof/decision-context.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { Effects } from "../workspace/run.ts"
import type { Settlement } from "./outcome.ts"

/** What an order came to, as far as its proofs speak of it. */
export type Settled = Pick<
  Settlement,
  "organizationId" | "activityId" | "activityFingerprint" | "status" | "result"
> & {
  /** What it was denied as, where it was. */
  denial?: DenialName
}

type DenialName = "OUTCOME_DENY_EXPLICIT" | "OUTCOME_DENY_IMPLICIT"

/** What was decided on, and by what. */
export type Ground = {
  activityType: string
  /** The activity's body: what a vote without a message of its own has stamped. */
  body: Uint8Array
  /** As it was when this was decided; undefined at its birth. */
  organization: Organization | undefined
  submitterId: string
  /** The approvals that counted. */
  approvals: readonly Vote[]
  nowMs: number
}

type ProofDeps = Pick<ExecutionDeps, "identity" | "ledger">
type Made = Pick<Effects, "changes" | "born"> | undefined

/** A proof for each address that the activity brought about, then one of the decision. */
export function proofsOf(settled: Settled, ground: Ground, made: Made, deps: ProofDeps): AppProof[] {
  const { prover } = deps.identity
  const payloads = [
    ...statementsOf(made).map((statement) => addressPayload(statement, ground.nowMs)),
    outcomeText(settled, ground, deps),
  ]
  return payloads.map((payload) => create(AppProofSchema, prover.sign(payload)))
}

/** The outcome that stands behind a status: what failed when it ran had been allowed. */
function outcomeOfStatus(status: ActivityStatus): OutcomeName {
  switch (status) {
    case ActivityStatus.CONSENSUS_NEEDED:
      return "OUTCOME_REQUIRES_CONSENSUS"
    case ActivityStatus.AUTHENTICATORS_NEEDED:
      return "OUTCOME_REQUIRES_AUTHENTICATORS"
    case ActivityStatus.REJECTED:
      return "OUTCOME_REJECTED"
    default:
      return "OUTCOME_ALLOW"
  }
}

/** What a denial is proven as. */
export function denialName(policyOutcomes: readonly PolicyOutcome[]): DenialName {
  const isExplicit = outcomeOfDenial(policyOutcomes) === Outcome.DENY_EXPLICIT
  return isExplicit ? "OUTCOME_DENY_EXPLICIT" : "OUTCOME_DENY_IMPLICIT"
}

function outcomeText(settled: Settled, ground: Ground, { ledger }: ProofDeps): string {
  const { organizationId, activityId, result } = settled
  const { activityType, organization, submitterId, approvals, nowMs } = ground
  const parentId = organization?.document.parentId ?? ""
  const context = {
    organizationId,
    activityId,
    activityType,
    fingerprint: Buffer.from(settled.activityFingerprint, "hex"),
    submitterId,
    result: result && toBinary(ResultSchema, result),
    approverIds: approvals.map(({ userId }) => userId),
  }
  const statement = {
    organizationId,
    outcome: settled.denial ?? outcomeOfStatus(settled.status),
    decisionContextDigest: decisionContextDigest(context),
    organizationDataDigest: hex(organization?.digest),
    // The ledger knows it, whether or not the decision had to look at it.
    parentOrganizationDataDigest: parentId === "" ? "" : hex(ledger.head(parentId)?.digest),
    userRequestApprovals: approvals.map((vote) => approvalOf(vote, ground.body)),
  }
  return outcomePayload(statement, nowMs)
}

function approvalOf({ message, stamp }: Vote, body: Uint8Array): ApprovalStatement {
  const { scheme = "", publicKey = "", signature = "" } = stamp ?? {}
  return {
    scheme,
    publicKey,
    message: Buffer.from(message.length > 0 ? message : body).toString(),
    signature,
  }
}

/** What is proven is what is stored: the records themselves say which accounts and keys are new. */
function statementsOf(made: Made): AddressStatement[] {
  if (made === undefined) return []
  const all = [made.changes, ...made.born.map(({ changes }) => changes)]
  return all.flatMap(({ added }) => added.flatMap(statementsOfRecord))
}

function statementsOfRecord({ kind, organizationId, payload }: Record): AddressStatement[] {
  if (kind === RecordKind.WALLET_ACCOUNT) {
    const { walletId, path: derivationPath, address } = fromBinary(WalletAccountRecordSchema, payload)
    return [{ organizationId, walletId, derivationPath, address }]
  }
  if (kind !== RecordKind.PRIVATE_KEY) return []
  const { addresses } = fromBinary(PrivateKeyRecordSchema, payload)
  return addresses.map(({ address }) => ({ organizationId, address }))
}

function hex(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : Buffer.from(bytes).toString("hex")
}
