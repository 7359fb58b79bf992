import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { readFetcherKeys } from "../../../signer/core/fetch-orders/pairing.ts"
import { CliError, ExitCode } from "../exit.ts"
import { type Layout, NODE_OPTIONS, programs } from "./layout.ts"

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
  const words = [...NODE_OPTIONS, programs.fetcher, isNew ? "init" : "public-key"]
  const run = promisify(execFile)(process.execPath, words, { env: environment, signal })
  const { stdout } = await run.catch((cause: Error & { stderr?: string }) => {
    signal.throwIfAborted()
    throw new CliError(ExitCode.fault, (cause.stderr?.trim() || cause.message).split("\n"), { cause })
  })
  return stdout.trim()
}
