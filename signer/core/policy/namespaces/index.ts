import { type Field, firstWord, type Namespace } from "../language/namespace.ts"
import { timestamp, type Type } from "../language/types.ts"
import { activity } from "./activity.ts"
import { approvers, credentials } from "./approvers.ts"
import { bitcoinTransaction } from "./bitcoin.ts"
import { privateKey, secret, wallet, walletAccount, wallets } from "./keys.ts"
import { ethAuthorization, ethTransaction, ethTypedData } from "./eth.ts"
import { solanaTransaction } from "./solana.ts"
import { tempoTransaction } from "./tempo.ts"
import { tronTransaction } from "./tron.ts"

/** Every root, by its field. */
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
  // The instant of the request.
  time: { "time.now": timestamp },
} as const satisfies Record<Field, Readonly<Record<string, Type>>>

const rootWords = new Set(Object.values(roots).flatMap((ofField) => Object.keys(ofField).map(firstWord)))

export const namespaces: Readonly<Record<Field, Namespace>> = {
  condition: { field: "condition", roots: roots.condition, rootWords },
  consensus: { field: "consensus", roots: roots.consensus, rootWords },
  time: { field: "time", roots: roots.time, clock: "time.now", rootWords },
}
