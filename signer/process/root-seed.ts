import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { dirname } from "node:path"
import { Secret } from "../core/crypto/secret.ts"
import { refuse } from "../core/refusal.ts"

const SEED_LENGTH = 32

/** True if this signer was ever set up: the seed is written last. */
export function isSeedStored(file: string): boolean {
  return fs.existsSync(file)
}

/** A fresh seed, not stored yet. */
export function newRootSeed(): Secret {
  return Secret.moveFrom(randomBytes(SEED_LENGTH))
}

/** Stores the seed in a file of mode 0600, whole or not at all. For development: its reader has every key. */
export function storeRootSeed(file: string, seed: Secret): void {
  fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.new`
  fs.rmSync(unfinished, { force: true })
  const descriptor = fs.openSync(unfinished, "wx", 0o600)
  try {
    seed.use((bytes) => fs.writeSync(descriptor, bytes))
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
  fs.renameSync(unfinished, file)
  const directory = fs.openSync(dirname(file), "r")
  fs.fsyncSync(directory)
  fs.closeSync(directory)
}

/** @throws ROOT_SEED_UNUSABLE when the file is readable by others or has not 32 bytes */
export function readRootSeed(file: string): Secret {
  if ((fs.statSync(file).mode & 0o077) !== 0)
    throw unusable("is accessible to other users: set its mode to 0600")
  const bytes = fs.readFileSync(file)
  if (bytes.length !== SEED_LENGTH) {
    bytes.fill(0)
    throw unusable(`must have ${SEED_LENGTH} bytes, it has ${bytes.length}`)
  }
  return Secret.moveFrom(bytes)
}

function unusable(why: string) {
  return refuse("ROOT_SEED_UNUSABLE", `the root seed's file ${why}`)
}
