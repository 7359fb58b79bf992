import { requirePhase } from "../phase.ts"
import type { SignerContext } from "./context.ts"

/** What ties the key that signs this process's app proofs to the deployment. */
export async function getBootProof(_request: unknown, context: SignerContext) {
  requirePhase("getBootProof", context.phase())
  return { bootProof: await context.work().identity.bootProof() }
}
