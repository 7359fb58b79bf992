import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { deriveBranch } from "../core/crypto/branch.ts"
import { type KeySet, openKeySet } from "../core/crypto/keyset.ts"
import { FAULT, StartError } from "../core/settings/start-fault.ts"
import { isSeedStored, newRootSeed, readRootSeed, storeRootSeed } from "../process/root-seed.ts"
import type { FetcherConfig } from "./config.ts"

/**
 * Creates the fetcher's seed, which is independent of the signer's. Only an operator's word, or `countersign dev`, leads
 * here: a fetcher whose volume is empty must not get another key by itself.
 *
 * @throws {StartError} when a seed is stored
 */
export function createIdentity({ seedFile }: FetcherConfig): void {
  if (isSeedStored(seedFile))
    throw new StartError(FAULT, `${seedFile} is a seed already: start the fetcher without init`)
  const fresh = newRootSeed()
  storeRootSeed(seedFile, fresh)
  fresh.wipe()
}

/**
 * The fetcher's own key set, from its own seed.
 *
 * @throws {StartError} when no seed is stored
 * @throws ROOT_SEED_UNUSABLE
 */
export function openIdentity({ seedFile, publicKeyFile }: FetcherConfig): KeySet {
  if (!isSeedStored(seedFile)) throw new StartError(FAULT, `${seedFile} is missing: ${SEED_MISSING}`)
  const seed = readRootSeed(seedFile)
  const branch = deriveBranch(seed, "fetcher")
  try {
    const keySet = openKeySet(branch)
    publish(publicKeyFile, keySet.publicHex)
    return keySet
  } finally {
    branch.wipe()
    seed.wipe()
  }
}

const SEED_MISSING =
  "restore the fetcher's seed from its backup, or create another with countersign-fetcher init and pair the signer with it"

/** Writes the public key set for the operator who pairs a signer, or for `countersign dev`. */
function publish(file: string, publicHex: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${publicHex}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
