import { fromBinary } from "@bufbuild/protobuf"
import {
  type Outcome,
  type RecoveredOutcome,
  RecoveredOutcomeSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { requireInvariant } from "../../../core/invariant.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { ActivityOutcome } from "./outcome.ts"

export type LogDeps = Pick<ExecutionDeps, "ledger" | "log">
type Log = Pick<LogDeps, "log">

/** Makes a decision a leaf of the log, once it holds and before anyone learns of it. Returns its receipt. */
export function recordDecision(
  { organizationId, activityId, activityFingerprint: fingerprint, status, decidedAtMs }: ActivityOutcome,
  { log }: Log,
): Uint8Array {
  return log.decide({ organizationId, activityId, fingerprint, status, decidedAtMs })
}

/** As recordDecision, of a change: the reply has the receipt, now and while the signer runs. The kept row has none, as it is written first. */
export function recordChange(outcome: ActivityOutcome, { decision }: Outcome, deps: Log): void {
  requireInvariant(decision !== undefined, "an outcome has its decision")
  decision.logReceipt = recordDecision(outcome, deps)
  deps.log.keepReceipt(decision.voteId, decision.logReceipt)
}

/** A kept outcome with its request, and the receipt of its leaf as long as the signer has it. */
export function readRecovered(row: Uint8Array, { log }: Log): RecoveredOutcome {
  const recovered = fromBinary(RecoveredOutcomeSchema, row)
  const { decision } = recovered.outcome ?? {}
  if (decision !== undefined) decision.logReceipt = log.receiptOf(decision.voteId)
  return recovered
}
