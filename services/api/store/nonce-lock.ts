import type { Database } from "../../database/database.ts"
import type { ChainAccount } from "./sends.ts"

/** First half of the advisory locks' numbers: no other lock of this software has two. */
const LOCK_CLASS = 0x6e6f6e63

/** The lock of one send's accounts, held until `release`. */
export type NonceLock = { release(): Promise<void> }

/**
 * Serializes the sends of accounts on their chains, also across processes. They are locked in their sequence, on one
 * connection: a second one might never come free. The caller waits in its own process first. PostgreSQL frees the locks when
 * the connection ends.
 */
export async function lockNonces(sql: Database, accounts: readonly ChainAccount[]): Promise<NonceLock> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: onLocked, reject: onFault } = Promise.withResolvers<void>()
  const ended = sql.begin(async (tx) => {
    for (const { chain, account } of accounts)
      await tx`select pg_advisory_xact_lock(${LOCK_CLASS}::int, hashtext(${`${chain} ${account}`}))`
    onLocked()
    await released
  })
  ended.catch(onFault)
  await locked
  return {
    release: async () => {
      release()
      // A connection that was lost has freed the lock already.
      await ended.catch(() => undefined)
    },
  }
}
