// Wallets, keys and secrets as conditions of policies read them.
import { type Members, members, type Value } from "../../policy/expression.ts"
import type { WalletFacts, AccountFacts, PrivateKeyFacts, SecretFacts } from "../../policy/facts/holdings.ts"
import type { RootBuilders } from "../../policy/facts/item.ts"

export const facts: RootBuilders = {
  wallet: ({ holdings }) => optional(holdings().wallet, walletValue),
  wallet_account: ({ holdings }) => optional(holdings().account, accountValue),
  private_key: ({ holdings }) => optional(holdings().privateKey, privateKeyValue),
  wallets: ({ holdings }) => holdings().wallets?.map(walletValue),
  secret: ({ secret }) => optional(secret, secretValue),
}

function optional<From>(from: From | undefined, toValue: (from: From) => Value): Value | undefined {
  return from === undefined ? undefined : toValue(from)
}

function walletValue({ id, label, imported, exported }: WalletFacts): Members {
  return members({ id, label, imported, exported })
}

function accountValue({ address, path }: AccountFacts): Members {
  return members({
    address,
    path_indexes: path?.map(({ index }) => BigInt(index)),
    path_hardened: path?.map(({ hardened }) => hardened),
  })
}

function privateKeyValue({ tags, ...key }: PrivateKeyFacts): Members {
  return members({ ...key, tags })
}

function secretValue({ properties }: SecretFacts): Members {
  return members({ static_properties: new Map(properties.map(({ key, value }) => [key, value])) })
}
