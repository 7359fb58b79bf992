import type { Database } from "../../database/database.ts"
import type { Job } from "../../database/jobs.ts"
import { type Block, blockColumns, type Send, type SendChange, signedCalls } from "./sends.ts"

/** A transaction that has ended on a block which is not final yet. */
export type UnsettledSend = Job &
  Pick<Send, "account" | "nonce" | "hash" | "signedCalls" | "status"> & { block: Block }

type StoredSend = Omit<UnsettledSend, "nonce" | "block"> & {
  nonce: string
  blockNumber: string
  blockHash: string | null
}

/** Most transactions of one poll. */
const MAX_SENDS = 1000

/** A chain that makes no blocks settles nothing: after this time its transactions are no longer followed. */
const MAX_UNSETTLED_MS = 24 * 3600 * 1000

/** True if a transaction of the chain has ended and is not settled. */
export async function hasUnsettled(sql: Database, chain: string): Promise<boolean> {
  const found = await sql`select from sends where chain = ${chain} and unsettled limit 1`
  return found.length > 0
}

/** Transactions of a chain that have ended and are not settled, the oldest block first. */
export async function unsettledSends(sql: Database, chain: string): Promise<UnsettledSend[]> {
  const rows = await sql<StoredSend[]>`
    select organization_id as "organizationId", id, account, nonce, hash, status, block_number as "blockNumber",
      block_hash as "blockHash", ${signedCalls(sql)}
    from sends where chain = ${chain} and unsettled
    order by block_number limit ${MAX_SENDS}`
  return rows.map(({ nonce, blockNumber, blockHash, ...send }) => ({
    ...send,
    nonce: BigInt(nonce),
    block: { number: BigInt(blockNumber), ...(blockHash !== null && { hash: blockHash }) },
  }))
}

/** Ends following transactions whose blocks did not become final in a day, at most so many that one poll reads, the oldest block first. */
export async function abandonSends(sql: Database, chain: string, nowMs: number): Promise<void> {
  await sql`
    update sends set unsettled = false where ctid = any (array(
      select ctid from sends where chain = ${chain} and unsettled and updated_ms < ${nowMs - MAX_UNSETTLED_MS}
      order by block_number limit ${MAX_SENDS}))`
}

/** Ends following these transactions: their blocks are final. */
export async function settleSends(sql: Database, sends: readonly UnsettledSend[]): Promise<void> {
  if (sends.length === 0) return
  await sql`update sends set unsettled = false where unsettled and ${among(sql, sends)}`
}

/** Writes where a transaction is included now. */
export async function moveSend(sql: Database, send: UnsettledSend, change: SendChange): Promise<void> {
  const failure = change.failure === undefined ? null : JSON.stringify(change.failure)
  await sql`
    update sends set status = ${change.status}, failure = ${failure}, ${blockColumns(sql, change)}, updated_ms = ${Date.now()}
    where unsettled and ${among(sql, [send])}`
}

/** Puts transactions whose block is gone back to broadcasting. The next poll broadcasts their bytes again. */
export async function reopenSends(sql: Database, sends: readonly UnsettledSend[]): Promise<void> {
  const failure = JSON.stringify({
    message:
      "a reorganization of the chain removed the transaction's block; the transaction is broadcast again",
  })
  // Some node had the bytes, so that this is no first attempt: 0 is a long time ago.
  await sql`
    update sends set status = 'BROADCASTING', failure = ${failure}, ${blockColumns(sql, {})}, broadcast_ms = 0,
      superseded_ms = null, updated_ms = ${Date.now()}
    where unsettled and ${among(sql, sends)}`
}

function among(sql: Database, sends: readonly Job[]) {
  const organizations = sends.map(({ organizationId }) => organizationId)
  const ids = sends.map(({ id }) => id)
  return sql`(organization_id, id) in (select * from unnest(${organizations}::uuid[], ${ids}::uuid[]))`
}
