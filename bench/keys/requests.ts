import type { StampingClient } from "../suborgs/caller.ts"
import { account } from "./accounts.ts"
import type { OwnSigner } from "./own-signer.ts"

/** Milliseconds that one request took. */
export type RequestRound = Record<string, number>

/** Executes a request and returns its result; throws if it did not complete. */
export type Submit = (path: string, type: string, parameters: object) => Promise<void>

export type Large = { name: string; make: (walletId: string, size: number, run: number) => Call }
type Call = { path: string; type: string; parameters: object }

/** Requests of the maximum size, of cheap and of costly kinds. `size`: 1,000, the bound. */
export const large: readonly Large[] = [
  accountsOf("Ethereum accounts", "SECP256K1", "ETHEREUM", (run, at) => `m/44'/60'/${run}'/0/${at}`),
  accountsOf("Solana accounts", "ED25519", "SOLANA", (run, at) => `m/44'/501'/${run}'/${at}'`),
  // Ten levels each are the most that fit; without a mark a level needs a point. Paths part at the second level.
  accountsOf("P-256 accounts, ten levels deep", "P256", "COMPRESSED", (run, at) => deep(run, at)),
  accountsOf("Taproot accounts, ten levels deep", "SECP256K1", "BITCOIN_MAINNET_P2TR", (run, at) =>
    deep(run, at),
  ),
  keysOf("private keys without addresses", []),
  keysOf("private keys with as many addresses as fit", ["ETHEREUM", "COSMOS", "TRON", "SEI"]),
]

function accountsOf(
  name: string,
  curve: string,
  format: string,
  path: (run: number, at: number) => string,
): Large {
  return {
    name,
    make: (walletId, size, run) => {
      const accounts = Array.from({ length: size }, (_, at) => account(curve, format, path(run, at)))
      const parameters = { walletId, accounts }
      return { path: "create_wallet_accounts", type: "CREATE_WALLET_ACCOUNTS", parameters }
    },
  }
}

function keysOf(name: string, formats: readonly string[]): Large {
  return {
    name,
    make: (_, size, run) => {
      const addressFormats = formats.map((format) => `ADDRESS_FORMAT_${format}`)
      const privateKeys = Array.from({ length: size }, (_key, at) => ({
        privateKeyName: `${name} ${run} ${at}`,
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats,
      }))
      return { path: "create_private_keys", type: "CREATE_PRIVATE_KEYS_V2", parameters: { privateKeys } }
    },
  }
}

function deep(run: number, at: number): string {
  return `m/${run}/${at}/1/2/3/4/5/6/7/8`
}

/** The number of the next round, so that nothing is asked for twice. */
let runs = 0

export async function measureRequests(
  submit: Submit,
  walletId: string,
  size: number,
  which: readonly Large[] = large,
): Promise<RequestRound> {
  const round: RequestRound = {}
  runs++
  for (const { name, make } of which) {
    const { path, type, parameters } = make(walletId, size, runs)
    const start = performance.now()
    await submit(path, type, parameters)
    round[name] = performance.now() - start
  }
  return round
}

/** Through the executor alone: stamp, decision, activity, ledger with its sync. */
export function throughSigner(own: OwnSigner): Submit {
  return async (_, type, parameters) => void (await own.submit(type, parameters))
}

/** Through API, signer and database. */
export function throughSystem(caller: StampingClient, organizationId: string): Submit {
  return async (path, type, parameters) => {
    const { text } = await caller.submit(path, type, organizationId, parameters)
    if (!text.includes("ACTIVITY_STATUS_COMPLETED")) throw new Error(`${path} did not complete: ${text}`)
  }
}
