import { refuse } from "../../core/refusal.ts"
import type { ServingState, SignerContext } from "./context.ts"

/**
 * Where the operator asked for it, waits until enough witnesses cosigned everything that the log has now: an answer that leaves then can
 * be found in a head that somebody else keeps. No answer leaves of a ledger that was found to be an older copy since the request began.
 * @throws UNWITNESSED after the time: what was decided holds, and the same body gets its answer later
 */
export async function requireWitnessed(
  { log, rollback }: Pick<ServingState, "log" | "rollback">,
  context: SignerContext,
  withinMs: number,
): Promise<void> {
  const { witnesses, signed } = log
  const { size } = signed
  const isWitnessed =
    !witnesses.policy.beforeAnswer ||
    witnesses.size >= size ||
    (await witnesses.whenWitnessed(size, AbortSignal.timeout(withinMs)))
  // The phase refuses then. A signer that stops answers what it ran.
  if (log.contradiction !== undefined || rollback.found !== undefined) context.state()
  if (isWitnessed) return
  const missing = witnesses.missing(size).join(", ")
  const sentence = `the request was decided, and its answer waits until witnesses cosigned the signer's log; missing: ${missing}; send the same body again`
  throw refuse("UNWITNESSED", sentence)
}
