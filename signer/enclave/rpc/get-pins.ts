import { requirePhase } from "../phase.ts"
import type { SignerContext } from "./context.ts"

/** The public identity of this deployment. */
export async function getPins(_request: unknown, context: SignerContext) {
  requirePhase("getPins", context.phase())
  return { pins: context.work().keyring.pins }
}
