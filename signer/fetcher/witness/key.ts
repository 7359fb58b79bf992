import { existsSync, readFileSync, rmSync } from "node:fs"
import { deriveBranch } from "../../core/crypto/branch.ts"
import { type Secret, wiping } from "../../core/crypto/secret.ts"
import {
  COSIGNATURE,
  type NoteSigner,
  noteSignerOf,
  readNoteKey,
  writeNoteKey,
} from "../../core/log/note-key.ts"
import { FAULT, StartError } from "../../core/settings/start-fault.ts"
import { CosignedHeadStore } from "../../process/cosigned-heads.ts"
import type { FetcherConfig } from "../config.ts"
import { publish, readSeed } from "../identity.ts"
import type { WitnessSettings } from "./settings.ts"

/**
 * The key with which the fetcher cosigns: a branch of its seed for its store of heads. A seed that was restored without the store has
 * another key, so no key cosigns what an empty store does not know. The public key is written for the operator.
 */
export function openWitnessKey(
  seed: Secret,
  { name, keyFile }: WitnessSettings,
  { number }: Pick<CosignedHeadStore, "number">,
): NoteSigner {
  const branch = deriveBranch(seed, `witness/${number}`)
  const signer = wiping([branch], () => branch.use((bytes) => noteSignerOf(name, COSIGNATURE, bytes)))
  publish(keyFile, writeNoteKey(signer.key))
  return signer
}

/**
 * The fetcher's key as a witness; undefined: its seed is sealed, and it was not open with this store yet. `isInit`: the store is made
 * first. @throws {StartError}
 */
export function witnessKeyOf(config: FetcherConfig, isInit: boolean): string | undefined {
  const { witness } = config
  if (witness === undefined)
    throw new StartError(FAULT, "this fetcher is no witness: set COUNTERSIGN_FETCHER_WITNESS_NAME first")
  const { headsFile, keyFile, name } = witness
  if (isInit) createStore(witness)
  const known = existsSync(keyFile) ? readFileSync(keyFile, "utf8").trim() : ""
  if (readNoteKey(known)?.name === name) return known
  const stored = readSeed(config)
  if (stored.kind === "sealed") return undefined
  const heads = new CosignedHeadStore(headsFile, { isNew: false })
  try {
    return writeNoteKey(wiping([stored.seed], () => openWitnessKey(stored.seed, witness, heads)).key)
  } finally {
    heads.close()
  }
}

function createStore({ headsFile, keyFile }: WitnessSettings): void {
  if (existsSync(headsFile))
    throw new StartError(FAULT, `${headsFile} is there already: run witness-key without --init`)
  rmSync(keyFile, { force: true })
  new CosignedHeadStore(headsFile, { isNew: true }).close()
}
