import { requirePhase } from "../phase.ts"
import type { SignerContext } from "./context.ts"

/** Where the signer stands, and why. */
export async function getStatus(_request: unknown, context: SignerContext) {
  const phase = context.phase()
  requirePhase("getStatus", phase)
  switch (phase.name) {
    case "ready":
      return { phase: "READY", explanation: "answers everything", pins: context.work().keyring.pins }
    case "clock-untrusted":
      return {
        phase: "CLOCK_UNTRUSTED",
        explanation: phase.sentence,
        pins: context.work().keyring.pins,
      }
    case "halted":
      return { phase: phase.code, explanation: phase.sentence }
    default:
      return phase satisfies never
  }
}
