import type { UnlockRequest } from "../../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { log } from "../../process/log.ts"
import { describeSeal, giveEvidence } from "../../process/unlock-calls.ts"
import type { SeedLock, SignerContext } from "./context.ts"

/** Takes the secret of one slot. */
export async function unlock({ evidence }: UnlockRequest, context: SignerContext) {
  const progress = await giveEvidence({ evidence }, lockOf(context))
  const event = progress.unlocked ? "the root seed was unlocked" : "a share was given"
  log("info", event, { by: evidence.case ?? "nothing" })
  return progress
}

/** Forgets the seed, its keys and all shares that wait. */
export async function lock(_request: unknown, context: SignerContext) {
  await lockOf(context).lock()
  log("warn", "the root seed was locked")
  return {}
}

/** What the sealed file says of itself, and which shares wait. */
export async function readSeal(_request: unknown, context: SignerContext) {
  return describeSeal(lockOf(context))
}

/** @throws SEED_NOT_SEALED */
function lockOf({ seedLock }: SignerContext): SeedLock {
  if (seedLock !== undefined) return seedLock
  throw refuse(
    "SEED_NOT_SEALED",
    "the root seed lies in a plain file, so it is neither locked nor unlocked: seal it with countersign-signer ceremony",
  )
}
