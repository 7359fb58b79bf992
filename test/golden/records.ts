/** What a release left behind, and what must come out of it. Bytes in hex. Made by make-records.ts. */
export type GoldenRecords = {
  /** The root seed of a deployment that was made for this and never served. */
  dangerouslyRevealedSeed: string
  organizationId: string
  userId: string
  wallets: {
    title: string
    walletId: string
    /** Record, and that of its account m/44'/60'/0'/0/0. */
    record: string
    account: string
    /** Of the account. */
    address: string
    /** Absent for wallets that were made there: nobody but the record knows their words. */
    words?: string | undefined
    passphrase: string
  }[]
  privateKeys: { curve: string; record: string; raw: string; address: string }[]
  /** Rows of the ledger, and the points that were offered. */
  importTargets: { kind: "wallet" | "private-key"; row: string; targetPublic: string }[]
}
