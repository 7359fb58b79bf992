import { refuse } from "../../core/refusal.ts"
import type { DecisionLog } from "../log/decision-log.ts"
import type { SignerContext } from "./context.ts"

/**
 * Where the operator asked for it, waits until enough witnesses cosigned everything that the log has now: an answer that leaves then can
 * be found in a head that somebody else keeps.
 * @throws UNWITNESSED after the time: what was decided holds, and the same body gets its answer later
 */
export async function requireWitnessed(
  log: Pick<DecisionLog, "contradiction" | "signed" | "witnesses">,
  context: SignerContext,
  withinMs: number,
): Promise<void> {
  const { witnesses, signed } = log
  const { size } = signed
  if (!witnesses.policy.beforeAnswer || witnesses.size >= size) return
  const isWitnessed = await witnesses.whenWitnessed(size, AbortSignal.timeout(withinMs))
  // Meanwhile a head may have shown that this log is an older copy: the phase refuses then. A signer that stops answers what it ran.
  if (log.contradiction !== undefined) context.state()
  if (isWitnessed) return
  const missing = witnesses.missing(size).join(", ")
  const sentence = `the request was decided, and its answer waits until witnesses cosigned the signer's log; missing: ${missing}; send the same body again`
  throw refuse("UNWITNESSED", sentence)
}
