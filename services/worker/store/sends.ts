import { type Database, sqlState } from "../../database/database.ts"
import type { Job } from "../../database/jobs.ts"

/** Published names of a send's status, without their meaning of the interface: see docs/api.md. */
type TxStatus = "INITIALIZED" | "BROADCASTING" | "INCLUDED" | "FAILED"

/** Why a transaction failed, or what keeps it from its end. Custom errors are decoded when somebody asks. */
export type SendFailure = {
  message: string
  /** Follows the message, also where the revert's data make a better one. */
  reason?: string
  /** Id of another transaction of the account with the same nonce, which the message is about. */
  sameNonceId?: string
  /** Data with which a contract reverted, 0x and hex, and the contract that was called. */
  revert?: { address: string; data: string }
  /** The failure of a Solana transaction, in the words of its node. */
  solana?: {
    source: string
    rpcCode?: number
    rpcMessage?: string
    transactionErrorJson?: string
    logs?: string[]
    unitsConsumed?: string
  }
}

/** A signed transaction as the worker follows it. */
export type Send = {
  organizationId: string
  id: string
  caip2: string
  account: string
  nonce: bigint
  raw: Uint8Array
  hash: string
  lastValidBlockHeight: bigint
  /** Account and nonce of calls that were signed for a delegate (EIP-7702): equal ones exclude each other. Null: there are none. */
  signedCalls: string | null
  status: TxStatus
  broadcastMs: number | undefined
  supersededMs: number | undefined
  createdMs: number
}

type StoredSend = Omit<
  Send,
  "nonce" | "lastValidBlockHeight" | "broadcastMs" | "supersededMs" | "createdMs"
> & {
  nonce: string
  lastValidBlockHeight: string
  broadcastMs: bigint | null
  supersededMs: bigint | null
  createdMs: bigint
}

/** Changes of one poll. Members that are absent stay; those that are undefined are removed. */
export type SendChange = {
  status: TxStatus
  failure?: SendFailure | undefined
  /** Time of the last attempt after which a node may have the bytes. */
  broadcastMs?: number | undefined
  supersededMs?: number | undefined
  /** The block that the status rests on, until it is final; absent: the status rests on none, or its block is final. */
  unsettledAt?: Block | undefined
}

/** A block, on Solana a slot. `hash`: absent on Solana, and where the status rests on all blocks up to this one. */
export type Block = { number: bigint; hash?: string }

export function isFinal({ status }: Pick<Send, "status">): boolean {
  return status === "INCLUDED" || status === "FAILED"
}

/** True once the API has made the tables, and the database takes changes. */
export async function isSchemaReady(sql: Database): Promise<boolean> {
  try {
    await sql`select rows_remain from sends, webhook_endings, organizations limit 0`
    const [row] = await sql<{ readOnly: boolean }[]>`
      select current_setting('transaction_read_only')::boolean as "readOnly"`
    return row?.readOnly === false
  } catch (error) {
    // 42P01, 42703: no such table, no such column.
    if (["42P01", "42703"].includes(sqlState(error) ?? "")) return false
    throw error
  }
}

/** The column of `Send.signedCalls`. */
export function signedCalls(sql: Database) {
  return sql`coalesce(delegator, account) || ' ' || gas_station_nonce as "signedCalls"`
}

export async function getSend(sql: Database, organizationId: string, id: string): Promise<Send | undefined> {
  const [row] = await sql<StoredSend[]>`
    select organization_id as "organizationId", id, caip2, account, nonce, raw, hash, status,
      last_valid_block_height as "lastValidBlockHeight", ${signedCalls(sql)},
      broadcast_ms as "broadcastMs", superseded_ms as "supersededMs", created_ms as "createdMs"
    from sends where organization_id = ${organizationId} and id = ${id}`
  return (
    row && {
      ...row,
      nonce: BigInt(row.nonce),
      lastValidBlockHeight: BigInt(row.lastValidBlockHeight),
      broadcastMs: row.broadcastMs === null ? undefined : Number(row.broadcastMs),
      supersededMs: row.supersededMs === null ? undefined : Number(row.supersededMs),
      createdMs: Number(row.createdMs),
    }
  )
}

/** Stores the result of a poll. A transaction that has ended stays as it ended: unsettled-sends.ts follows it then. */
export async function changeSend(
  sql: Database,
  { organizationId, id, supersededMs }: Pick<Send, "organizationId" | "id" | "supersededMs">,
  change: SendChange,
): Promise<void> {
  const failure = change.failure === undefined ? null : JSON.stringify(change.failure)
  const superseded = ("supersededMs" in change ? change.supersededMs : supersededMs) ?? null
  await sql`
    update sends set status = ${change.status}, failure = ${failure},
      broadcast_ms = ${"broadcastMs" in change ? (change.broadcastMs ?? null) : sql`broadcast_ms`}, superseded_ms = ${superseded},
      ${blockColumns(sql, change)}, updated_ms = ${Date.now()}
    where organization_id = ${organizationId} and id = ${id} and status in ('INITIALIZED', 'BROADCASTING')`
}

/** Assignments of the block that a status rests on. */
export function blockColumns(sql: Database, { unsettledAt }: Pick<SendChange, "unsettledAt">) {
  const number = unsettledAt === undefined ? null : String(unsettledAt.number)
  return sql`unsettled = ${unsettledAt !== undefined}, block_number = ${number}, block_hash = ${unsettledAt?.hash ?? null}`
}

/** Another transaction of an account with the same nonce. */
export type Rival = Pick<Send, "id" | "hash" | "status" | "createdMs" | "signedCalls">

/** Other sends with the same nonce that are pending, or whose block is not final; newest first. */
export async function rivalsOf(
  sql: Database,
  { organizationId, id, account, nonce }: Send,
  chain: string,
): Promise<Rival[]> {
  const rows = await sql<(Omit<Rival, "createdMs"> & { createdMs: bigint })[]>`
    select id, hash, status, created_ms as "createdMs", ${signedCalls(sql)} from sends
    where chain = ${chain} and account = ${account} and nonce = ${String(nonce)}
      and (status in ('INITIALIZED', 'BROADCASTING') or unsettled)
      and organization_id = ${organizationId} and id <> ${id}
    order by created_ms desc`
  return rows.map((row) => ({ ...row, createdMs: Number(row.createdMs) }))
}

/** Transactions of a chain that have not ended. */
export async function openSends(sql: Database, chain: string): Promise<Job[]> {
  return [
    ...(await sql<Job[]>`
      select organization_id as "organizationId", id from sends
      where chain = ${chain} and status in ('INITIALIZED', 'BROADCASTING')`),
  ]
}
