import type { UnlockRequest } from "../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { refuse } from "../core/refusal.ts"
import type { SlotEvidence } from "../core/sealed-seed/evidence.ts"
import { dailySlotsOf, type SealedFile, slotOf } from "../core/sealed-seed/format.ts"
import type { ShareProgress } from "../core/sealed-seed/given-shares.ts"

/** A sealed seed that a process can open. */
export type SealedSeedLock = {
  /** The file as it was read at the start, or at the latest lock. */
  readonly sealed: SealedFile
  /** True while the seed is open. */
  readonly isOpen: boolean
  progress(): ShareProgress
  /** True once the seed is open. @throws the codes of `Unlock` in unlock.proto */
  unlock(evidence: SlotEvidence): Promise<boolean>
}

/** Takes the secret of one slot. */
export async function giveEvidence(
  { evidence }: Pick<UnlockRequest, "evidence">,
  lock: SealedSeedLock,
): Promise<{ unlocked: boolean; given: number[]; threshold: number }> {
  if (evidence.case === undefined)
    throw refuse("REQUEST_INVALID", "evidence is missing: give a share, a passphrase or a key")
  const unlocked = await lock.unlock(evidence)
  const { given, threshold } = lock.progress()
  return { unlocked, given: [...given], threshold }
}

/** What the sealed file says of itself, and which shares wait. */
export function describeSeal(lock: SealedSeedLock) {
  const { sealed } = lock
  const { deploymentId, generation, shares } = sealed.header
  const { given, threshold } = lock.progress()
  const blob = slotOf(sealed, "command")?.kind.value.blob ?? new Uint8Array()
  const set = { deploymentId, generation, shares, threshold }
  return { ...set, daily: dailySlotsOf(sealed), given: [...given], blob, isOpen: lock.isOpen }
}
