import { fromBinary } from "@bufbuild/protobuf"
import { type Outcome, RecoveredOutcomeSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { DEPLOYMENT, type Ledger } from "../ledger/ledger.ts"
import type { Request } from "./request.ts"

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
