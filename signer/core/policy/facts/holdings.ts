// Wallets and keys as policies see them. The signer reads them from its ledger, a simulation from the database.

export type WalletFacts = { id: string; label: string; imported: boolean; exported: boolean }

/** `path`: present where the account is exported. */
export type AccountFacts = { address: string; path?: readonly { index: number; hardened: boolean }[] }

export type PrivateKeyFacts = WalletFacts & { tags: readonly string[] }

/**
 * `curve`: its name in the interface. `publicKey`: hexadecimal, 66 digits compressed or 130; 64 for Ed25519. `addresses`:
 * the account's, or all of the private key, with the names of their formats.
 */
export type KeyFacts = {
  curve: string
  publicKey: string
  addresses: readonly { format: string; address: string }[]
}

/** `properties`: those given at the import, each key once. */
export type SecretFacts = { properties: readonly { key: string; value: string }[] }

export type Holdings = {
  wallet?: WalletFacts
  account?: AccountFacts
  privateKey?: PrivateKeyFacts
  /** The key of `signWith`. */
  key?: KeyFacts
  wallets?: readonly WalletFacts[]
  /** The secrets of an export, one for each item. */
  secrets?: readonly SecretFacts[]
}

/** The wallets and keys that an activity's parameters name. */
export type NamedHoldings =
  /** `signWith`: an address, or the id of a private key; the first of several signers. */
  | { readonly is: "signer"; readonly signWith: string }
  | { readonly is: "wallet"; readonly walletId: string }
  | { readonly is: "wallets"; readonly walletIds: readonly string[] }
  | { readonly is: "exported-account"; readonly address: string }
  | { readonly is: "private-key"; readonly privateKeyId: string }
  | { readonly is: "secrets"; readonly secretIds: readonly string[] }
  | { readonly is: "nothing" }
