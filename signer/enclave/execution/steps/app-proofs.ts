import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { ResultSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { ActivityStatus, Outcome as OutcomeCode } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type AppProof, AppProofSchema } from "../../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import {
  PrivateKeyRecordSchema,
  type Record,
  RecordKind,
  WalletAccountRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { outcomeOfDenial } from "../../../core/policy/decision/policy-evaluator.ts"
import type { AddressStatement, ApprovalStatement, OutcomeName } from "../../../core/proof/app-proof.ts"
import { addressPayload, outcomePayload } from "../../../core/proof/app-proof.ts"
import { decisionContextDigest } from "../../../core/proof/decision-context.ts"
import type { Steps } from "../../../core/turns/steps.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { StampedRequest } from "../state/request.ts"
import type { ActivityOutcome } from "./outcome.ts"

/** The activity that was decided, with the approvals that counted. */
type DecidedActivity = Pick<StampedRequest, "activity" | "body"> & {
  /** The organization that decided, at the version of the decision; undefined: the activity created it. */
  organization: Organization | undefined
  submitterId: string
  approvals: readonly Vote[]
}

type ProofDeps = Pick<ExecutionDeps, "identity" | "ledger">

/** One proof for each address that the activity created, then one of the decision; a step each. */
export function* proofsOf(
  outcome: ActivityOutcome,
  decided: DecidedActivity,
  deps: ProofDeps,
): Steps<AppProof[]> {
  const { decidedAtMs, effects } = outcome
  const changes = effects && [effects.changes, ...effects.created.map((created) => created.changes)]
  const added = (changes ?? []).flatMap((change) => change?.added ?? [])
  const payloads = [
    ...added.flatMap(addressesOf).map((statement) => addressPayload(statement, decidedAtMs)),
    decisionPayload(outcome, decided, deps),
  ]
  const proofs: AppProof[] = []
  for (const payload of payloads) {
    proofs.push(create(AppProofSchema, deps.identity.prover.sign(payload)))
    yield
  }
  return proofs
}

/** Name of the decision behind an outcome. A waiting activity that failed had been allowed, or nothing allowed it. */
function outcomeName({ status, failure, details }: ActivityOutcome): OutcomeName {
  switch (status) {
    case ActivityStatus.CONSENSUS_NEEDED:
      return "OUTCOME_REQUIRES_CONSENSUS"
    case ActivityStatus.AUTHENTICATORS_NEEDED:
      return "OUTCOME_REQUIRES_AUTHENTICATORS"
    case ActivityStatus.REJECTED:
      return "OUTCOME_REJECTED"
    case ActivityStatus.FAILED: {
      if (failure !== undefined) return failure.wasAllowed ? "OUTCOME_ALLOW" : "OUTCOME_DENY_IMPLICIT"
      const isExplicit = outcomeOfDenial(details.policyOutcomes) === OutcomeCode.DENY_EXPLICIT
      return isExplicit ? "OUTCOME_DENY_EXPLICIT" : "OUTCOME_DENY_IMPLICIT"
    }
    default:
      return "OUTCOME_ALLOW"
  }
}

function decisionPayload(outcome: ActivityOutcome, decided: DecidedActivity, { ledger }: ProofDeps): string {
  const { organizationId, activityId, effects } = outcome
  const { activity, body, organization, submitterId, approvals } = decided
  const parentId = organization?.document.parentId ?? ""
  const context = {
    organizationId,
    activityId,
    activityType: activity.type,
    fingerprint: Buffer.from(outcome.activityFingerprint, "hex"),
    submitterId,
    result: effects && toBinary(ResultSchema, effects.result),
    approverIds: approvals.map(({ userId }) => userId),
  }
  const statement = {
    organizationId,
    outcome: outcomeName(outcome),
    decisionContextDigest: decisionContextDigest(context),
    organizationDataDigest: hex(organization?.digest),
    // The ledger's digest: the decision need not have opened the parent's document.
    parentOrganizationDataDigest: parentId === "" ? "" : hex(ledger.head(parentId)?.digest),
    userRequestApprovals: approvals.map((vote) => approvalStatement(vote, body)),
  }
  return outcomePayload(statement, outcome.decidedAtMs)
}

/** A vote without a message of its own stamped the activity's body. */
function approvalStatement({ message, stamp }: Vote, body: Uint8Array): ApprovalStatement {
  const { scheme = "", publicKey = "", signature = "" } = stamp ?? {}
  const stamped = Buffer.from(message.length > 0 ? message : body).toString()
  return { scheme, publicKey, message: stamped, signature }
}

/** Addresses of a new account or private key, read from the record that is stored. */
function addressesOf({ kind, organizationId, payload }: Record): AddressStatement[] {
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
