/** Records of one release, with their expected contents. Bytes in hex. Made by make-records.ts. */
export type GoldenRecords = {
  /** Root seed of a deployment made for this file only. */
  dangerouslyRevealedSeed: string
  organizationId: string
  userId: string
  wallets: {
    title: string
    walletId: string
    /** Wallet record, and the record of its account m/44'/60'/0'/0/0. */
    record: string
    account: string
    /** Address of the account. */
    address: string
    /** Mnemonic of an imported wallet; absent for generated wallets, whose mnemonic only the record holds. */
    words?: string | undefined
    passphrase: string
  }[]
  privateKeys: { curve: string; record: string; raw: string; address: string }[]
  /** Rows of the ledger, and their public keys. */
  importTargets: { kind: "wallet" | "private-key"; row: string; targetPublic: string }[]
}
