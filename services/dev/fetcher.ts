import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { readFetcherKeys } from "../../signer/core/fetch-orders/pairing.ts"
import { type Layout, programs } from "./layout.ts"
import { outputOf } from "./run-program.ts"

/**
 * The fetcher's public keys, for pairing the signer: from the file of the last start, or from the fetcher's program.
 * The first start creates the fetcher's seed.
 */
export async function fetcherPublicKey(
  { fetcherPublicKey: file, fetcherSeed }: Layout,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const seedFile = environment["COUNTERSIGN_FETCHER_SEED_FILE"] || fetcherSeed
  const isNew = !existsSync(seedFile)
  const left = isNew ? "" : (await readFile(file, "utf8").catch(() => "")).trim()
  // The file of an earlier release has no on-ramp key.
  if (readFetcherKeys(left)?.onRampPublicKey) return left
  return outputOf([programs.fetcher, isNew ? "init" : "public-key"], environment, signal)
}
