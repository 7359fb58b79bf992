import { privateKeyToAccount } from "viem/accounts"
import { CHAIN, hexOf, sentBy, TO } from "../harness/sends.ts"
import { solanaAccount, valueOf } from "../harness/api-client.ts"
import { solanaTransfer } from "../harness/transactions.ts"
import { asRoot } from "./setup.ts"
import { limits } from "../harness/sponsorship.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"

type Make = (actors: Actors) => Promise<Omit<ReplayCase, "type">>

/** Sends that name all values of their chain. */
export const sendReplayCases: { [type: string]: Make } = {
  ETH_SEND_TRANSACTION: async (actors) => sends(actors, (value) => ({ to: TO, value })),
  ETH_SEND_TRANSACTION_V2: async (actors) => sends(actors, (value) => ({ calls: [{ to: TO, value }] })),
  ETH_SEND_RAW_TRANSACTION: async () => ({
    first: { caip2: CHAIN, signedTransaction: await signed(1) },
    second: { caip2: CHAIN, signedTransaction: await signed(2) },
    harm: "a transaction is broadcast again",
  }),
  SOL_SEND_TRANSACTION: (actors) => solanaSends(actors, (signWith) => ({ signWith })),
  SOL_SEND_TRANSACTION_V2: (actors) => solanaSends(actors, (address) => ({ signWiths: [address] })),
  UPSERT_GAS_USAGE_CONFIG: async () => ({
    first: limits("100"),
    second: limits("5"),
    harm: "a limit that was lowered is raised again",
  }),
  ETH_UNDELEGATE_7702: async (actors) => sends(actors, () => ({})),
  ETH_REPLACE_TRANSACTION: (actors) => inPlace(actors),
  ETH_CANCEL_TRANSACTION: (actors) => inPlace(actors),
}

/** Transactions in place of two that the account has sent. */
async function inPlace({ fixture }: Actors): Promise<Omit<ReplayCase, "type">> {
  const { address: from } = fixture
  const one = async (nonce: string) => {
    const outcome = await asRoot(fixture).submit("ETH_SEND_TRANSACTION", { ...sent(from, nonce), to: TO })
    const signedTransaction = hexOf(sentBy(outcome).raw)
    return { ...sent(from, nonce), signedTransaction, maxFeePerGas: "3000000000", maxPriorityFeePerGas: "2" }
  }
  return { first: await one("1"), second: await one("2"), harm: "a second transaction for one authorization" }
}

async function solanaSends(
  { fixture }: Actors,
  named: (address: string) => object,
): Promise<Omit<ReplayCase, "type">> {
  const { walletId, client } = fixture
  const accounts = [solanaAccount(0)]
  const made = await asRoot({ client, acme: fixture.acme }).submit("CREATE_WALLET_ACCOUNTS", {
    walletId,
    accounts,
  })
  const address = valueOf(made, "createWalletAccountsResult").addresses[0]!
  const one = (lamports: bigint) => {
    const { bytes } = solanaTransfer({ signers: [address], lamports })
    const unsignedTransaction = Buffer.from(bytes).toString("hex")
    return { unsignedTransaction, caip2: "solana:devnet", ...named(address) }
  }
  return { first: one(1n), second: one(2n), harm: "a second transaction for one authorization" }
}

const VALUES = { gasLimit: "90000", maxFeePerGas: "2000000000", maxPriorityFeePerGas: "1" }

const sent = (from: string, nonce: string) => ({ from, caip2: CHAIN, nonce, ...VALUES })

function sends({ fixture }: Actors, call: (value: string) => object): Omit<ReplayCase, "type"> {
  const one = (nonce: string) => ({ ...sent(fixture.address, nonce), ...call(nonce) })
  return { first: one("1"), second: one("2"), harm: "a second transaction for one authorization" }
}

/** A transaction that another key has signed. */
export function signed(nonce: number, more: object = {}): Promise<`0x${string}`> {
  const account = privateKeyToAccount(`0x${"11".repeat(32)}`)
  const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n }
  return account.signTransaction({
    type: "eip1559",
    chainId: 8453,
    nonce,
    gas: 21_000n,
    to: TO,
    value: 5n,
    ...fees,
    ...more,
  })
}
