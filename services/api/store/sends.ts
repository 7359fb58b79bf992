import type { Database, Queries, Transaction } from "../../database/database.ts"
import { isUuidInAnyCase } from "./uuid.ts"

/** A signed transaction as it is stored with its activity. */
export type NewSend = {
  organizationId: string
  /** sendTransactionStatusId. */
  id: string
  activityId: string
  /** CAIP-2 as in the body. */
  caip2: string
  /** CAIP-2 in its canonical spelling. */
  chain: string
  account: string
  nonce: bigint
  raw: Uint8Array
  hash: string
  lastValidBlockHeight: bigint
  createdMs: number
}

/** Stores signed transactions. Returns those that were not stored before. */
export async function insertSends(tx: Transaction, sends: readonly NewSend[]): Promise<NewSend[]> {
  const inserted: NewSend[] = []
  for (const send of sends) {
    const { organizationId, id, activityId, caip2, chain, account, raw, hash, createdMs } = send
    const [row] = await tx`
      insert into sends (organization_id, id, activity_id, caip2, chain, account, nonce, raw, hash,
        last_valid_block_height, status, created_ms, updated_ms)
      values (${organizationId}, ${id}, ${activityId}, ${caip2}, ${chain}, ${account}, ${String(send.nonce)}, ${raw},
        ${hash}, ${String(send.lastValidBlockHeight)}, 'INITIALIZED', ${createdMs}, ${createdMs})
      on conflict do nothing returning id`
    if (row) inserted.push(send)
  }
  return inserted
}

/** Status of a signed transaction, as the worker wrote it. */
export type SendStatusRow = {
  chain: string
  status: string
  hash: string
  /** JSON; null: nothing is known to be wrong. */
  failure: string | null
}

export async function getSendStatus(
  sql: Queries,
  organizationId: string,
  id: string,
): Promise<SendStatusRow | undefined> {
  if (!isUuidInAnyCase(id)) return undefined
  const [row] = await sql<SendStatusRow[]>`
    select chain, status, hash, failure from sends where organization_id = ${organizationId} and id = ${id}`
  return row
}

/** An account on a chain, in canonical spelling: EVM addresses in lower case. */
export type ChainAccount = { chain: string; account: string }

/** Nonces from `first` on that transactions use which have not ended, in ascending order. */
export async function noncesInUse(
  sql: Database,
  { chain, account }: ChainAccount,
  first: bigint,
): Promise<bigint[]> {
  const rows = await sql<{ nonce: string }[]>`
    select nonce from sends
    where chain = ${chain} and account = ${account} and nonce >= ${String(first)}
      and status in ('INITIALIZED', 'BROADCASTING')
    order by nonce`
  return rows.map(({ nonce }) => BigInt(nonce))
}

/** The send that an account's latest nonce was chosen for, while its outcome is not known to be stored. */
export type Reservation = { organizationId: string; fingerprint: Uint8Array }

export async function getReservation(
  sql: Database,
  { chain, account }: ChainAccount,
): Promise<Reservation | undefined> {
  const [row] = await sql<Reservation[]>`
    select organization_id as "organizationId", fingerprint from nonce_reservations
    where chain = ${chain} and account = ${account}`
  return row
}

/** Records for which send the account's next nonce is used. */
export async function reserveNonce(
  sql: Database,
  { chain, account }: ChainAccount,
  nonce: bigint,
  { organizationId, fingerprint }: Reservation,
): Promise<void> {
  await sql`
    insert into nonce_reservations (chain, account, nonce, organization_id, fingerprint, reserved_ms)
    values (${chain}, ${account}, ${String(nonce)}, ${organizationId}, ${fingerprint}, ${Date.now()})
    on conflict (chain, account) do update set nonce = excluded.nonce, organization_id = excluded.organization_id,
      fingerprint = excluded.fingerprint, reserved_ms = excluded.reserved_ms`
}

export async function endReservation(sql: Database, { chain, account }: ChainAccount): Promise<void> {
  await sql`delete from nonce_reservations where chain = ${chain} and account = ${account}`
}
