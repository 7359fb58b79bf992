import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { deriveBranch } from "../core/crypto/branch.ts"
import { type KeySet, openKeySet } from "../core/crypto/keyset.ts"
import { isSeedStored, newRootSeed, readRootSeed, storeRootSeed } from "../process/root-seed.ts"
import type { FetcherConfig } from "./config.ts"

/**
 * The fetcher's own key set, from its own seed, which is created at the first start and independent of the signer's.
 *
 * @throws ROOT_SEED_UNUSABLE
 */
export function openIdentity({ seedFile, publicKeyFile }: FetcherConfig): KeySet {
  if (!isSeedStored(seedFile)) {
    const fresh = newRootSeed()
    storeRootSeed(seedFile, fresh)
    fresh.wipe()
  }
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

/** Writes the public key set for the operator who pairs a signer, or for `countersign dev`. */
function publish(file: string, publicHex: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${publicHex}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
