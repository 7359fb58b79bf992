import { Phase } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { processFigures } from "../../process/figures.ts"
import { phaseNumber } from "../phase.ts"
import type { SignerContext } from "./context.ts"

/** Phases without ledger and caches. */
const WITHOUT_STATE: readonly Phase[] = [Phase.HALTED, Phase.EMPTY, Phase.SEALED]

/** The figures of this process. A signer without state has none of ledger and caches. */
export async function readMetrics(_request: unknown, context: SignerContext) {
  const { orders, turns } = context
  const phase = phaseNumber(context.phase())
  return {
    phase,
    process: processFigures(),
    waitingOrders: turns.waiting,
    runningOrders: orders.running,
    oldestOrderSeconds: orders.oldestSeconds,
    orderSeconds: orders.seconds.read(),
    answers: orders.answers(),
    refusals: orders.refusals.read(),
    ...(!WITHOUT_STATE.includes(phase) && context.storage()),
  }
}
