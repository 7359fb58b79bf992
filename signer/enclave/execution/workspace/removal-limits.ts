import { type Refusal, refuse } from "../../../core/refusal.ts"

/** Accounts that may be removed with their wallets at once, while every other request waits. */
export const MAX_REMOVED_ACCOUNTS = 2_000

/** Rows in overflow shards that are read and removed with their organization, for the same reason. */
export const MAX_REMOVED_ROWS = 20_000

export function tooManyAccounts(field: string): Refusal {
  const sentence =
    `the wallets have more than ${MAX_REMOVED_ACCOUNTS} accounts together; delete fewer wallets at once, ` +
    "or accounts of a large one first, with delete_wallet_accounts"
  return refuse("LIMIT_EXCEEDED", sentence, { field })
}

export function tooManyRows(): Refusal {
  const sentence =
    "the organization holds or held too much to look through for keys that were not exported; " +
    "set deleteWithoutExport to delete them all"
  return refuse("LIMIT_EXCEEDED", sentence, { field: "parameters.deleteWithoutExport" })
}
