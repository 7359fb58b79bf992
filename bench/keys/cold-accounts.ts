import type { Child } from "../child.ts"
import type { LoadAnswer, LoadQuestion, Target } from "../load/target.ts"
import type { RunningDeployment } from "../suborgs/deployment.ts"
import { account } from "./accounts.ts"

/** Signatures a second through the whole system: `cold` with keys in no cache, `hot` with keys in the cache. */
export type ColdRound = { hot: number; cold: number }

const CONNECTIONS = 64
const HOT = 64
/** Accounts that one request makes. */
const BATCH = 1_000
/** A process compiles its code during its first thousands of requests. */
const WARM_UP_SECONDS = 0.5

/** Makes accounts that sign in turn: beyond the size of the signer's cache each key has left it before its next turn. */
export async function makeAccounts({ caller, parentId }: RunningDeployment, walletId: string, count: number) {
  const addresses: string[] = []
  for (let from = 0; from < count; from += BATCH) {
    const accounts = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) =>
      account("SECP256K1", "ETHEREUM", `m/44'/60'/1000000'/0/${from + at}`),
    )
    const parameters = { walletId, accounts }
    const { text } = await caller.submit(
      "create_wallet_accounts",
      "CREATE_WALLET_ACCOUNTS",
      parentId,
      parameters,
    )
    const { activity } = JSON.parse(text) as Reply
    const made = activity?.result?.createWalletAccountsResult?.addresses
    if (made === undefined) throw new Error(`no accounts: ${text}`)
    addresses.push(...made)
  }
  return addresses
}

type Reply = { activity?: { result?: { createWalletAccountsResult?: { addresses: string[] } } } }

/** The first 64 accounts in turn, then all of them in turn. */
export async function measureCold(
  load: Child,
  target: Target,
  addresses: readonly string[],
  seconds: number,
): Promise<ColdRound> {
  const rate = async (series: string, inTurn: readonly string[]) => {
    const warmUpSeconds = Math.min(seconds, WARM_UP_SECONDS)
    const begin: LoadQuestion = {
      ask: "begin",
      target: { ...target, inTurn },
      series,
      connections: CONNECTIONS,
      seconds,
      warmUpSeconds,
    }
    await load.ask(begin)
    return ((await load.ask({ ask: "finish" } satisfies LoadQuestion)) as LoadAnswer).perSecond
  }
  return { hot: await rate("hot", addresses.slice(0, HOT)), cold: await rate("cold", addresses) }
}
