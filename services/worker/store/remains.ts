// Rows that nothing shows any more. There may be any number of them, so they are removed in pieces.
import type { Database } from "../../database/database.ts"

/** Rows of each table that one transaction removes: they are locked until its end. */
const PIECE = 1_000

const TABLES = ["identities", "sessions", "records"] as const

/** Every organization's id is above it. */
export const LOWEST = "00000000-0000-0000-0000-000000000000"

/**
 * Removes the next piece of what remains of a deleted organization. Organizations take turns by their ids, and no two workers
 * have the same one.
 *
 * @param last the organization that had the turn before
 * @returns the organization that had this turn; undefined: nothing is left to this worker
 */
export async function removeRemains(sql: Database, last: string): Promise<string | undefined> {
  // Without a transaction of its own, as there is seldom something to do.
  const [isLeft] = await sql`select from organizations where rows_remain limit 1`
  if (isLeft === undefined) return undefined
  return sql.begin(async (tx) => {
    const [organization] = await tx<{ id: string }[]>`
      select id from organizations where rows_remain order by id <= ${last}, id limit 1 for update skip locked`
    if (organization === undefined) return undefined
    const { id } = organization
    let isMore = false
    for (const table of TABLES) {
      const piece = tx`select ctid from ${tx(table)} where organization_id = ${id} limit ${PIECE}`
      const { count } = await tx`delete from ${tx(table)} where ctid = any (array(${piece}))`
      isMore ||= count === PIECE
    }
    if (!isMore) await tx`update organizations set rows_remain = false where id = ${id}`
    return id
  })
}

/** Time for which an expired session is kept, so that its key is refused as expired and not as unknown. */
const KEPT_MS = 60 * 60 * 1000

/** Removes a piece of the sessions that expired long ago, the oldest first. */
export async function removeExpiredSessions(sql: Database, nowMs: number): Promise<void> {
  await sql`
    delete from sessions where ctid = any (array(
      select ctid from sessions where expires_ms < ${nowMs - KEPT_MS} order by expires_ms limit ${PIECE}))`
}
