import type { Database } from "../../database/database.ts"
import { lockNonces } from "../store/nonce-lock.ts"
import type { ChainAccount } from "../store/sends.ts"
import type { KeyedTurns } from "./turns.ts"

/** Accounts that are locked for one order, until `release`. */
export type HeldAccounts = { readonly accounts: readonly ChainAccount[]; release(): Promise<void> }

/**
 * Waits until no other order, of this process or of another one, uses one of the accounts. They are locked in their
 * sequence, which must be the same in every order.
 */
export async function lockAccounts(
  accounts: readonly ChainAccount[],
  turns: KeyedTurns,
  sql: Database,
): Promise<HeldAccounts> {
  const ends: (() => void)[] = []
  const endTurns = () => ends.forEach((end) => end())
  try {
    for (const { chain, account } of accounts) ends.push(await turns.wait(`${chain} ${account}`))
    const lock = await lockNonces(sql, accounts)
    return { accounts, release: () => lock.release().finally(endTurns) }
  } catch (error) {
    endTurns()
    throw error
  }
}
