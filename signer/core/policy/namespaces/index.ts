import { type Field, firstWord, type Namespace } from "../language/namespace.ts"
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

const rootWords = new Set(Object.values(roots).flatMap((ofField) => Object.keys(ofField).map(firstWord)))

export const namespaces: Readonly<Record<Field, Namespace>> = {
  condition: { field: "condition", roots: roots.condition, rootWords },
  consensus: { field: "consensus", roots: roots.consensus, rootWords },
  time: { field: "time", roots: roots.time, clock: "time.now", rootWords },
}
