import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { deriveBranch } from "../core/crypto/branch.ts"
import { type KeySet, openKeySet } from "../core/crypto/keyset.ts"
import { isSeedStored, newRootSeed, readRootSeed, storeRootSeed } from "../process/root-seed.ts"
import type { FetcherConfig } from "./config.ts"

/**
 * The fetcher's own key set, from its own seed, which it makes at its first start. It has nothing to do with the
 * signer's.
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

/** For the operator who pairs, and for `countersign dev`, which does it for him. */
function publish(file: string, publicHex: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${publicHex}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
