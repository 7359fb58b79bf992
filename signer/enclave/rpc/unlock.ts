import type { UnlockRequest } from "../../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { dailySlotsOf, slotOf } from "../../core/sealed-seed/format.ts"
import { log } from "../../process/log.ts"
import type { SeedLock, SignerContext } from "./context.ts"

/** Takes the secret of one slot. */
export async function unlock({ evidence }: UnlockRequest, context: SignerContext) {
  const seedLock = lockOf(context)
  if (evidence.case === undefined)
    throw refuse("REQUEST_INVALID", "evidence is missing: give a share, a passphrase or a key")
  const unlocked = await seedLock.unlock(evidence)
  log("info", unlocked ? "the root seed was unlocked" : "a share was given", { by: evidence.case })
  const { given, threshold } = seedLock.progress()
  return { unlocked, given: [...given], threshold }
}

/** Forgets the seed, its keys and all shares that wait. */
export async function lock(_request: unknown, context: SignerContext) {
  await lockOf(context).lock()
  log("warn", "the root seed was locked")
  return {}
}

/** What the sealed file says of itself, and which shares wait. */
export async function readSeal(_request: unknown, context: SignerContext) {
  const seedLock = lockOf(context)
  const { sealed } = seedLock
  const { deploymentId, generation, shares } = sealed.header
  const { given, threshold } = seedLock.progress()
  const blob = slotOf(sealed, "command")?.kind.value.blob ?? new Uint8Array()
  return { deploymentId, generation, shares, threshold, daily: dailySlotsOf(sealed), given: [...given], blob }
}

/** @throws SEED_NOT_SEALED */
function lockOf({ seedLock }: SignerContext): SeedLock {
  if (seedLock !== undefined) return seedLock
  throw refuse(
    "SEED_NOT_SEALED",
    "the root seed lies in a plain file, so it is neither locked nor unlocked: seal it with countersign-signer ceremony",
  )
}
