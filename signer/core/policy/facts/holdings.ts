import { type Members, members } from "../expression.ts"

/** What policies see of a wallet. */
export type WalletFacts = { id: string; label: string; imported: boolean; exported: boolean }

/** What policies see of an account. `path`: its elements, where the account itself leaves. */
export type AccountFacts = { address: string; path?: readonly { index: number; hardened: boolean }[] }

/** What policies see of a private key; `tags`: tag ids. */
export type PrivateKeyFacts = WalletFacts & { tags: readonly string[] }

/** What an activity uses of the organization's wallets and keys. */
export type Holdings = {
  wallet?: WalletFacts
  account?: AccountFacts
  privateKey?: PrivateKeyFacts
  wallets?: readonly WalletFacts[]
}

/** The root `wallet`, and each of `wallets`. */
export function walletValue({ id, label, imported, exported }: WalletFacts): Members {
  return members({ id, label, imported, exported })
}

/** The root `wallet_account`. Only an export shows the path. */
export function accountValue({ address, path }: AccountFacts): Members {
  return members({
    address,
    path_indexes: path?.map(({ index }) => BigInt(index)),
    path_hardened: path?.map(({ hardened }) => hardened),
  })
}

/** The root `private_key`. */
export function privateKeyValue({ tags, ...key }: PrivateKeyFacts): Members {
  return members({ ...key, tags })
}
