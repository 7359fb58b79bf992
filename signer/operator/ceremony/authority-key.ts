import type { KeyObject } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { p256PrivateKey } from "../../core/crypto/p256.ts"
import { wiping } from "../../core/crypto/secret.ts"
import { JoinFault } from "../../core/join/fault.ts"
import { readSealedSeed, type SealedFile } from "../../core/sealed-seed/format.ts"
import { isSealed } from "../../core/sealed-seed/mark.ts"
import { ownerName } from "../../core/sealed-seed/terms.ts"
import type { HolderTerminal } from "../../core/seal-commands/holder-terminal.ts"
import { openWithShares } from "../../core/seal-commands/open-with-shares.ts"
import { AUTHORITY_KEY } from "../authority/place.ts"

/**
 * The sealed key of the authority in a folder; undefined: there is none, or it lies there in PEM.
 *
 * @throws {JoinFault} for the sealed seed of a process: its shares must not be asked for here; SEALED_SEED_DAMAGED
 */
export function sealedAuthorityIn(directory: string): SealedFile | undefined {
  const file = join(directory, AUTHORITY_KEY)
  const bytes = readIfThere(file)
  if (bytes === undefined || !isSealed(bytes)) return undefined
  const sealed = readSealedSeed(bytes)
  const { owner } = sealed.header
  if (owner === SeedOwner.AUTHORITY) return sealed
  throw new JoinFault(
    "refused",
    `${file} is the sealed seed of the ${ownerName(owner)}, and no key of an authority: restore it`,
  )
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** Asks for a threshold of the authority's shares. @throws {StartError} */
export async function openAuthorityKey(sealed: SealedFile, holder: HolderTerminal): Promise<KeyObject> {
  const scalar = await openWithShares(sealed, holder)
  return wiping([scalar], () => p256PrivateKey(scalar))
}
