import type { ExecutionDeps } from "../execution/state/deps.ts"
import type { Executor } from "../execution/execute.ts"
import type { Phase } from "../phase.ts"

/** What the handlers stand on while the signer is at work. */
export type Work = ExecutionDeps & { executor: Executor }

/** What every handler is handed. */
export type SignerContext = {
  phase(): Phase
  /** @throws Error where the phase table let a call through that needs what is not there */
  work(): Work
  /** The operator's word that the host's clock is right. */
  acceptClock(): Promise<void>
}
