// Signs once with each of very many accounts, cold each time, in a process of its own. It shows whether the cache of keys and
// the process stay within their bounds.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { HeldKey } from "../../signer/enclave/execution/state/held-key.ts"
import { readConfig } from "../../signer/enclave/config.ts"
import { KeyCache } from "../../signer/enclave/keys/cache.ts"
import { answerQuestions } from "../child.ts"
import { usageOf } from "../process-usage.ts"
import { ManyAccounts } from "./many-accounts.ts"
import { OwnSigner } from "./own-signer.ts"

/** Accounts that have signed, keys in the cache then, the most there ever were, resident MiB. */
export type CacheStep = {
  accounts: number
  entries: number
  mostEntries: number
  residentMiB: number | undefined
}
export type CacheAnswer = { maxEntries: number; seconds: number; steps: CacheStep[] }
/** `entries`: size of the cache, absent for that of the configuration when nothing is set. */
export type CacheQuestion = { steps: readonly number[]; entries?: number | undefined }

answerQuestions(async (question: CacheQuestion): Promise<CacheAnswer> => {
  const directory = await mkdtemp(join(tmpdir(), "countersign-bench-"))
  const own = await OwnSigner.open(directory)
  try {
    return await signWithEach(own, question)
  } finally {
    await own.close()
    await rm(directory, { recursive: true, force: true })
  }
})

async function signWithEach(own: OwnSigner, { steps, entries }: CacheQuestion): Promise<CacheAnswer> {
  const settings = entries === undefined ? {} : { COUNTERSIGN_SIGNER_KEY_CACHE_ENTRIES: String(entries) }
  const { keyCache } = readConfig(settings)
  const cache = new KeyCache<HeldKey>(keyCache)
  const accounts = await ManyAccounts.open(own, cache)
  const answer: CacheAnswer = { maxEntries: keyCache.maxEntries, seconds: 0, steps: [] }
  const startedAt = performance.now()
  let mostEntries = 0
  let at = 0
  for (const step of steps) {
    for (; at < step; at++) {
      accounts.sign(at)
      mostEntries = Math.max(mostEntries, cache.size)
      if (at % A_TURN === 0) await turn()
    }
    const residentMiB = usageOf(process.pid, "itself")?.residentMiB
    answer.steps.push({ accounts: step, entries: cache.size, mostEntries, residentMiB })
  }
  cache.clear()
  answer.seconds = (performance.now() - startedAt) / 1000
  return answer
}

/** Signatures between two turns of the event loop. */
const A_TURN = 100

/** A turn of the event loop, as between orders: OpenSSL's keys are released then. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
