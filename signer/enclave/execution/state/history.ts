import type { Pins } from "../../../../proto/gen/countersign/state/v1/setup_pb.ts"
import type { Ledger } from "../../ledger/ledger.ts"

/**
 * The history that a signed statement about an organization belongs to: after an operator gave up state of the lane, other
 * statements may name the same version.
 */
export function historyOf(
  organizationId: string,
  { deploymentId }: Pick<Pins, "deploymentId">,
  ledger: Pick<Ledger, "term">,
): { deploymentId: string; lane: number; ledgerEpoch: bigint } {
  const { lane, epoch } = ledger.term(organizationId)
  return { deploymentId, lane, ledgerEpoch: BigInt(epoch) }
}
