import { fromBinary } from "@bufbuild/protobuf"
import {
  type Outcome,
  RecoveredOutcomeSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { DEPLOYMENT, type Ledger } from "../../ledger/ledger.ts"
import { refuse } from "../../../core/refusal.ts"
import { MAX_MESSAGE_BYTES } from "../../../core/wire.ts"
import type { Request } from "../state/request.ts"

/** Largest outcome with its body, bytes: less than a message of the API tier's holds, with what stands around it. */
const MAX_OUTCOME_BYTES = MAX_MESSAGE_BYTES - 64 * 1024

/** The outcome of the same body under the same credential, while it is not acknowledged. */
export function recoverOutcome(
  { organizationId, fingerprint, stamp }: Request,
  ledger: Ledger,
): Outcome | undefined {
  const key = outcomeKey(organizationId, fingerprint, stamp.credential)
  const row = ledger.row(DEPLOYMENT, "outcome", key)
  return row && fromBinary(RecoveredOutcomeSchema, row).outcome
}

/**
 * Outcomes that wait for their acknowledgement are rows of the deployment, so that all of them are found at once
 * after a crash. The identical body of another user is a vote with an outcome of its own.
 */
export function outcomeKey(organizationId: string, fingerprint: string, credential: string): string {
  return `${organizationId}/${fingerprint}/${credential}`
}

/**
 * What no message can bring back must not happen: nobody would hear of it, nor of anything after it.
 *
 * @throws REQUEST_TOO_LARGE
 */
export function requireTellable(recovery: Uint8Array): void {
  if (recovery.length <= MAX_OUTCOME_BYTES) return
  const sentence = `what this changes is over ${MAX_OUTCOME_BYTES} bytes with its body: ask for less at once`
  throw refuse("REQUEST_TOO_LARGE", sentence)
}
