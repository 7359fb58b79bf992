import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { counted } from "../core/counted.ts"
import { Secret } from "../core/crypto/secret.ts"
import { refuse } from "../core/refusal.ts"
import { replaceFile } from "../core/seal-commands/store-sealed.ts"
import { readSealedSeed, type SealedFile } from "../core/sealed-seed/format.ts"
import { isSealed } from "../core/sealed-seed/mark.ts"

const SEED_LENGTH = 32

/** True if this signer was ever set up: the seed is written last. */
export function isSeedStored(file: string): boolean {
  return fs.existsSync(file)
}

/** A fresh seed, not stored yet. */
export function newRootSeed(): Secret {
  return Secret.moveFrom(randomBytes(SEED_LENGTH))
}

/** Stores the seed in a plain file of mode 0600, whole or not at all. For development: its reader has every key. */
export function storeRootSeed(file: string, seed: Secret): void {
  seed.use((bytes) => replaceFile(file, bytes))
}

/** A seed as its file holds it. */
export type StoredSeed = { kind: "plain"; seed: Secret } | { kind: "sealed"; sealed: SealedFile }

/** @throws ROOT_SEED_UNUSABLE when the file is readable by others, or is neither sealed nor 32 bytes; SEALED_SEED_DAMAGED */
export function readStoredSeed(file: string): StoredSeed {
  if ((fs.statSync(file).mode & 0o077) !== 0)
    throw unusable("is accessible to other users: set its mode to 0600")
  const bytes = fs.readFileSync(file)
  if (isSealed(bytes)) return { kind: "sealed", sealed: readSealedSeed(bytes) }
  if (bytes.length !== SEED_LENGTH) {
    bytes.fill(0)
    throw unusable(
      `must have ${SEED_LENGTH} bytes, or begin with the line of a sealed seed; it has ${counted(bytes.length, "byte")}`,
    )
  }
  return { kind: "plain", seed: Secret.moveFrom(bytes) }
}

/** The sealed file; undefined: the seed is plain, or no file can be read. */
export function readSealedFile(file: string): SealedFile | undefined {
  try {
    const stored = readStoredSeed(file)
    if (stored.kind === "sealed") return stored.sealed
    stored.seed.wipe()
    return undefined
  } catch {
    return undefined
  }
}

/** @throws ROOT_SEED_UNUSABLE, SEALED_SEED_DAMAGED */
export function readRootSeed(file: string): Secret {
  const stored = readStoredSeed(file)
  if (stored.kind === "plain") return stored.seed
  throw unusable("is sealed, and this process reads plain seeds alone")
}

function unusable(why: string) {
  return refuse("ROOT_SEED_UNUSABLE", `the root seed's file ${why}`)
}
