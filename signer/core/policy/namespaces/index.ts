import type { Field, Namespace } from "../language/index.ts"
import type { Type } from "../language/types.ts"
import { activity } from "./activity.ts"
import { approvers, credentials } from "./approvers.ts"
import { bitcoinTransaction } from "./bitcoin.ts"
import { ethAuthorization, ethTransaction, ethTypedData } from "./eth.ts"
import { privateKey } from "./private-key.ts"
import { secret } from "./secret.ts"
import { solanaTransaction } from "./solana.ts"
import { tempoTransaction } from "./tempo.ts"
import { now } from "./time.ts"
import { tronTransaction } from "./tron.ts"
import { wallet, walletAccount, wallets } from "./wallet.ts"

// Every root, by the field that it is legal in.

const roots = {
  condition: {
    activity,
    wallet,
    wallets,
    wallet_account: walletAccount,
    private_key: privateKey,
    secret,
    "eth.tx": ethTransaction,
    "eth.eip_712": ethTypedData,
    "eth.eip_7702_authorization": ethAuthorization,
    "solana.tx": solanaTransaction,
    "tron.tx": tronTransaction,
    "bitcoin.tx": bitcoinTransaction,
    "tempo.tx": tempoTransaction,
  },
  consensus: { approvers, credentials },
  time: { "time.now": now },
} as const satisfies Record<Field, Readonly<Record<string, Type>>>

/** What a request signs: one thing of one chain. */
const PAYLOADS = [
  "eth.tx",
  "eth.eip_712",
  "eth.eip_7702_authorization",
  "solana.tx",
  "tron.tx",
  "bitcoin.tx",
  "tempo.tx",
  "secret",
] as const

export const namespaces: Readonly<Record<Field, Namespace>> = {
  condition: {
    field: "condition",
    roots: roots.condition,
    elsewhere: elsewhere("condition"),
    // Signed with, or exported: the account of a wallet, or a key of its own.
    exclusive: [PAYLOADS, ["wallet", "private_key"], ["wallet_account", "private_key"]],
  },
  consensus: { field: "consensus", roots: roots.consensus, elsewhere: elsewhere("consensus") },
  time: { field: "time", roots: roots.time, clock: "time.now", elsewhere: elsewhere("time") },
}

function elsewhere(own: Field): ReadonlyMap<string, Field> {
  const others = (["condition", "consensus", "time"] as const).filter((field) => field !== own)
  return new Map(others.flatMap((field) => Object.keys(roots[field]).map((root) => [root, field] as const)))
}
