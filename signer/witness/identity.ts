import { randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { COSIGNATURE, type NoteSigner, noteSignerOf } from "../core/log/note-key.ts"
import { FAULT, StartError } from "../core/settings/start-fault.ts"
import { CosignedHeadStore } from "../process/cosigned-heads.ts"
import type { WitnessConfig } from "./config.ts"

const SEED_BYTES = 32

/** Makes key and store of a new witness. The key comes last: an interrupted creation leaves none. @throws {StartError} */
export function createWitness({ seedFile, headsFile }: WitnessConfig): void {
  for (const file of [seedFile, headsFile])
    if (existsSync(file))
      throw new StartError(
        FAULT,
        `${file} is there already: start the witness without init, or move its files away`,
      )
  new CosignedHeadStore(headsFile, { isNew: true }).close()
  mkdirSync(dirname(seedFile), { recursive: true, mode: 0o700 })
  const seed = randomBytes(SEED_BYTES)
  const descriptor = openSync(seedFile, "wx", 0o600)
  try {
    writeFileSync(descriptor, seed)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
    seed.fill(0)
  }
  chmodSync(seedFile, 0o600)
}

/** The key with which this witness cosigns. @throws {StartError} when there is none, or others can read it */
export function openWitnessKey({ name, seedFile }: WitnessConfig): NoteSigner {
  if (!existsSync(seedFile))
    throw new StartError(FAULT, `${seedFile} is missing: make a new witness with countersign-witness init`)
  if ((statSync(seedFile).mode & 0o077) !== 0)
    throw new StartError(FAULT, `${seedFile} is accessible to other users: set its mode to 0600`)
  const seed = readFileSync(seedFile)
  try {
    if (seed.length !== SEED_BYTES) throw new StartError(FAULT, `${seedFile} must have ${SEED_BYTES} bytes`)
    return noteSignerOf(name, COSIGNATURE, seed)
  } finally {
    seed.fill(0)
  }
}
