import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { startChild } from "../child.ts"
import { inOwnDirectory } from "../own-directory.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { watchDrift } from "../run.ts"
import { deploy } from "../suborgs/deployment.ts"
import { type AddressRound, prepareAddresses } from "./addresses.ts"
import { makeWallet } from "./accounts.ts"
import type { CacheAnswer } from "./cache-child.ts"
import { type ColdRound, makeAccounts, measureCold } from "./cold-accounts.ts"
import { OwnSigner } from "./own-signer.ts"
import { large, measureRequests, type RequestRound, throughSigner, throughSystem } from "./requests.ts"
import { prepareSignatures, type SignatureRound } from "./signatures.ts"

export type KeysPlan = {
  rounds: number
  /** Rate of each operation in each round. */
  seconds: number
  /** Accounts or keys that one request makes. */
  requestSize: number
  /** Accounts that sign in turn through the whole system; more than the cache holds. */
  accounts: number
  /** After so many accounts that signed the cache is looked at. */
  cacheSteps: readonly number[]
  /** Keys that the cache may hold; absent: as the signer is configured when nothing is said. */
  cacheEntries?: number
}

export type KeysRound = {
  signatures: Record<string, SignatureRound>
  addresses: Record<string, AddressRound>
  /** Through the executor. */
  requests: RequestRound
  /** The first of them, through the whole system. */
  systemRequests: RequestRound
  /** Signatures through the whole system. */
  accounts: ColdRound
}

export type KeysRun = {
  machine: Machine
  rounds: KeysRound[]
  cache: CacheAnswer
  /** Change of the bare signature from start to end, as a share of the slower. */
  drift: number
}

export const FULL_PLAN: Omit<KeysPlan, "rounds" | "seconds"> = {
  requestSize: 1000,
  accounts: 16_000,
  cacheSteps: [10_000, 50_000, 100_000, 250_000, 500_000, 750_000, 1_000_000],
}

export const SHORT_PLAN: KeysPlan = {
  rounds: 1,
  seconds: 0.01,
  requestSize: 10,
  accounts: 100,
  cacheSteps: [50, 200],
  cacheEntries: 100,
}

/** A shorter window may end before its first reply. */
const MIN_LOAD_SECONDS = 0.3

/** Only accounts go through the whole system: what is asked there is what the boundary and the database add. */
const ofSystem = large.slice(0, 1)

export function measureKeys(plan: KeysPlan, say: (line: string) => void): Promise<KeysRun> {
  return inOwnDirectory(async ({ directory, interruption, stops, started }) => {
    const machine = describeMachine(directory)
    const anchors = started(await startChild(new URL("../anchors.ts", import.meta.url)))
    say("starts a signer in this process, and a whole system")
    await mkdir(join(directory, "own"), { mode: 0o700 })
    const own = await OwnSigner.open(join(directory, "own"))
    stops.push(() => own.close())
    const system = started(await deploy(join(directory, "system"), 2, () => undefined))
    const signatures = await prepareSignatures(own)
    const addresses = prepareAddresses()
    const { walletId } = await makeWallet(own, [])
    const systemSubmit = throughSystem(system.caller, system.parentId)
    const systemWalletId = await walletOf(system.caller, system.parentId)
    say(`makes ${plan.accounts} accounts`)
    const load = started(await startChild(new URL("../load/main.ts", import.meta.url)))
    const systemAccounts = await makeAccounts(system, systemWalletId, plan.accounts)
    const measureRound = async (seconds: number): Promise<KeysRound> => ({
      signatures: signatures(seconds),
      addresses: addresses(seconds / 4), // so many, and nothing is decided by them
      requests: await measureRequests(throughSigner(own), walletId, plan.requestSize),
      systemRequests: await measureRequests(systemSubmit, systemWalletId, plan.requestSize, ofSystem),
      accounts: await measureCold(load, system.target, systemAccounts, Math.max(seconds, MIN_LOAD_SECONDS)),
    })
    say("warms up")
    await measureRound(plan.seconds / 4) // compiles the code
    const drift = await watchDrift(anchors, plan.seconds)
    const rounds: KeysRound[] = []
    for (let round = 0; round < plan.rounds; round++) {
      interruption.check()
      say(`round ${round + 1} of ${plan.rounds}`)
      rounds.push(await measureRound(plan.seconds))
    }
    const moved = await drift()
    interruption.check()
    say(`signs with ${plan.cacheSteps.at(-1)} accounts, once each`)
    const filler = started(await startChild(new URL("cache-child.ts", import.meta.url)))
    const cache = (await filler.ask({ steps: plan.cacheSteps, entries: plan.cacheEntries })) as CacheAnswer
    return { machine, rounds, cache, drift: moved }
  })
}

async function walletOf(
  caller: { submit(...call: [string, string, string, object]): Promise<{ text: string }> },
  organizationId: string,
) {
  const wallet = { walletName: "Bench", accounts: [] }
  const { text } = await caller.submit("create_wallet", "CREATE_WALLET", organizationId, wallet)
  const { activity } = JSON.parse(text) as {
    activity?: { result?: { createWalletResult?: { walletId: string } } }
  }
  const walletId = activity?.result?.createWalletResult?.walletId
  if (walletId === undefined) throw new Error(`no wallet: ${text}`)
  return walletId
}
