import { randomBytes } from "node:crypto"
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import { Secret } from "../core/crypto/secret.ts"
import { refuse } from "../core/refusal.ts"

const SEED_LENGTH = 32

/** Whether this signer was ever set up: the seed is written last. */
export function isSeedStored(file: string): boolean {
  return existsSync(file)
}

/** A fresh seed, not stored yet. */
export function newRootSeed(): Secret {
  return Secret.moveFrom(randomBytes(SEED_LENGTH))
}

/**
 * Stores the seed in a file of mode 0600, whole or not at all. For development: anyone who reads the file has
 * every key.
 */
export function storeRootSeed(file: string, seed: Secret): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.new`
  rmSync(unfinished, { force: true })
  const descriptor = openSync(unfinished, "wx", 0o600)
  try {
    seed.use((bytes) => writeSync(descriptor, bytes))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(unfinished, file)
  const directory = openSync(dirname(file), "r")
  fsyncSync(directory)
  closeSync(directory)
}

/** @throws ROOT_SEED_UNUSABLE when the file is readable by others or has not 32 bytes */
export function readRootSeed(file: string): Secret {
  if ((statSync(file).mode & 0o077) !== 0) {
    throw refuse(
      "ROOT_SEED_UNUSABLE",
      "the root seed's file is accessible to other users: set its mode to 0600",
    )
  }
  const bytes = readFileSync(file)
  if (bytes.length !== SEED_LENGTH) {
    bytes.fill(0)
    throw refuse(
      "ROOT_SEED_UNUSABLE",
      `the root seed's file must have ${SEED_LENGTH} bytes, it has ${bytes.length}`,
    )
  }
  return Secret.moveFrom(bytes)
}
