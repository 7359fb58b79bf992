import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import {
  type Outcome,
  RecoveredOutcomeSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import { MAX_MESSAGE_BYTES } from "../../../core/wire.ts"
import { DEPLOYMENT, type Ledger, type LedgerRow } from "../../ledger/ledger.ts"
import type { StampedRequest } from "../state/request.ts"

/** Largest stored outcome with its body, bytes: a message of the API tier holds it and its envelope. */
const MAX_OUTCOME_BYTES = MAX_MESSAGE_BYTES - 64 * 1024

/** The earlier outcome of the same body and credential, until it is acknowledged. */
export function recoverOutcome(request: StampedRequest, ledger: Ledger): Outcome | undefined {
  const { organizationId, fingerprint, stamp } = request
  const key = outcomeKey(organizationId, fingerprint, stamp.credential)
  const row = ledger.row(DEPLOYMENT, "outcome", key)
  return row && fromBinary(RecoveredOutcomeSchema, row).outcome
}

/**
 * Key of an outcome that waits for its acknowledgement. It is a row of the deployment, so that Recover finds all of
 * them after a crash. It names the credential: another user's identical body is a vote with an outcome of its own.
 */
export function outcomeKey(organizationId: string, fingerprint: string, credential: string): string {
  return `${organizationId}/${fingerprint}/${credential}`
}

/**
 * The row that returns the same outcome until the API tier acknowledges it. Outcomes larger than one message are
 * refused: Recover could never deliver them, and they would block all later ones.
 *
 * @throws REQUEST_TOO_LARGE
 */
export function recoveryRow(outcome: Outcome, vote: Vote | undefined, request: StampedRequest): LedgerRow {
  const { organizationId, fingerprint, stamp, body } = request
  const recovered = { outcome, body, ...(vote?.stamp && { stamp: vote.stamp }) }
  const value = toBinary(RecoveredOutcomeSchema, create(RecoveredOutcomeSchema, recovered))
  if (value.length > MAX_OUTCOME_BYTES) {
    const sentence = `what this changes is over ${MAX_OUTCOME_BYTES} bytes with its body: ask for less at once`
    throw refuse("REQUEST_TOO_LARGE", sentence)
  }
  return { kind: "outcome", key: outcomeKey(organizationId, fingerprint, stamp.credential), value }
}
