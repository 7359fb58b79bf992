import { requirePhase } from "../phase.ts"
import type { SignerContext } from "./context.ts"

/** The operator says that the host's clock is right. */
export async function acceptClock(_request: unknown, context: SignerContext) {
  requirePhase("acceptClock", context.phase())
  await context.acceptClock()
  return {}
}
