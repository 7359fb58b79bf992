import type { Database, Queries, Transaction } from "../../database/database.ts"
import { typeName } from "./activity-codes.ts"
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
  /** Sender of calls that a delegate runs, or of a change of delegation; undefined: the transaction is neither. */
  delegator?: string | undefined
  gasStationNonce?: bigint | undefined
  /** Nonce of the delegator that the transaction's authorization uses. */
  authorizationNonce?: bigint | undefined
  createdMs: number
}

/** Stores signed transactions. Returns those that were not stored before. */
export async function insertSends(tx: Transaction, sends: readonly NewSend[]): Promise<NewSend[]> {
  const inserted: NewSend[] = []
  for (const send of sends) {
    const { organizationId, id, activityId, caip2, chain, account, raw, hash, createdMs } = send
    const [row] = await tx`
      insert into sends (organization_id, id, activity_id, caip2, chain, account, nonce, raw, hash,
        last_valid_block_height, delegator, gas_station_nonce, authorization_nonce, status, created_ms, updated_ms)
      values (${organizationId}, ${id}, ${activityId}, ${caip2}, ${chain}, ${account}, ${String(send.nonce)}, ${raw},
        ${hash}, ${String(send.lastValidBlockHeight)}, ${send.delegator ?? null}, ${decimal(send.gasStationNonce)},
        ${decimal(send.authorizationNonce)}, 'INITIALIZED', ${createdMs}, ${createdMs})
      on conflict do nothing returning id`
    if (row) inserted.push(send)
  }
  return inserted
}

function decimal(nonce: bigint | undefined): string | null {
  return nonce === undefined ? null : String(nonce)
}

/** Status of a signed transaction, as the worker wrote it. */
export type SendStatusRow = {
  chain: string
  status: string
  hash: string
  /** JSON; null: nothing is known to be wrong. */
  failure: string | null
}

/** @param id sendTransactionStatusId, or the id of the activity that sends */
export async function getSendStatus(
  sql: Queries,
  organizationId: string,
  id: string,
): Promise<SendStatusRow | undefined> {
  if (!isUuidInAnyCase(id)) return undefined
  const [row] = await sql<SendStatusRow[]>`
    select chain, status, hash, failure from sends
    where organization_id = ${organizationId} and (id = ${id} or activity_id = ${id})`
  return row
}

/** A transaction as the status of another one with the same nonce names it. */
export type SameNonceRow = {
  sendTransactionStatusId: string
  activityId: string
  /** Empty once the activity was removed by `db prune`. */
  activityType: string
  txHash: string
  txStatus: string
}

export async function getSameNonceSend(
  sql: Queries,
  organizationId: string,
  id: string,
): Promise<SameNonceRow | undefined> {
  const [row] = await sql<(Omit<SameNonceRow, "activityType"> & { activityType: string | null })[]>`
    select sends.id as "sendTransactionStatusId", activity_id as "activityId", activities.type as "activityType",
      hash as "txHash", sends.status as "txStatus"
    from sends left join activities on activities.organization_id = sends.organization_id and activities.id = activity_id
    where sends.organization_id = ${organizationId} and sends.id = ${id}`
  return row && { ...row, activityType: row.activityType === null ? "" : typeName(row.activityType) }
}

/** A signed transaction with what another one in its place needs. */
export type SentTransaction = {
  caip2: string
  chain: string
  account: string
  status: string
  hash: string
  raw: Uint8Array
  /** True if the paymaster's account sends it. */
  isSponsored: boolean
}

/** @param id as for getSendStatus */
export async function getSentTransaction(
  sql: Queries,
  organizationId: string,
  id: string,
): Promise<SentTransaction | undefined> {
  if (!isUuidInAnyCase(id)) return undefined
  const [row] = await sql<SentTransaction[]>`
    select caip2, chain, account, status, hash, raw, coalesce(delegator <> account, false) as "isSponsored" from sends
    where organization_id = ${organizationId} and (id = ${id} or activity_id = ${id})`
  return row
}

/** The transactions of an organization, as nodes take them, that have this account and nonce and have not ended. */
export async function openWithNonce(
  sql: Queries,
  organizationId: string,
  { chain, account, nonce }: ChainAccount & { nonce: bigint },
): Promise<Uint8Array[]> {
  const rows = await sql<{ raw: Uint8Array }[]>`
    select raw from sends
    where chain = ${chain} and account = ${account} and nonce = ${String(nonce)}
      and status in ('INITIALIZED', 'BROADCASTING') and organization_id = ${organizationId}`
  return rows.map(({ raw }) => raw)
}

/** An account on a chain, in canonical spelling: EVM addresses in lower case. */
export type ChainAccount = { chain: string; account: string }

/** Nonces of an account that transactions use which have not ended. */
export async function noncesInUse(sql: Database, { chain, account }: ChainAccount): Promise<bigint[]> {
  const rows = await sql<{ nonce: string }[]>`
    select nonce from sends
    where chain = ${chain} and account = ${account} and status in ('INITIALIZED', 'BROADCASTING')`
  return rows.map(({ nonce }) => BigInt(nonce))
}

/** Nonces that open transactions use of a delegator: of the delegate contract, and by authorizations of the account. */
export type DelegationUse = { gasStationNonces: bigint[]; authorizationNonces: bigint[] }

export async function delegationUse(sql: Database, { chain, account }: ChainAccount): Promise<DelegationUse> {
  const rows = await sql<{ gasStationNonce: string | null; authorizationNonce: string | null }[]>`
    select gas_station_nonce as "gasStationNonce", authorization_nonce as "authorizationNonce" from sends
    where chain = ${chain} and delegator = ${account} and status in ('INITIALIZED', 'BROADCASTING')`
  return {
    gasStationNonces: rows.flatMap(({ gasStationNonce }) => gasStationNonce ?? []).map(BigInt),
    authorizationNonces: rows.flatMap(({ authorizationNonce }) => authorizationNonce ?? []).map(BigInt),
  }
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

/** Records for which send the next nonces of these accounts are used. */
export async function reserveNonces(
  sql: Database,
  accounts: readonly ChainAccount[],
  { organizationId, fingerprint }: Reservation,
): Promise<void> {
  await eachAccount(accounts, async ({ chain, account }) => {
    await sql`
      insert into nonce_reservations (chain, account, organization_id, fingerprint, reserved_ms)
      values (${chain}, ${account}, ${organizationId}, ${fingerprint}, ${Date.now()})
      on conflict (chain, account) do update set nonce = null, organization_id = excluded.organization_id,
        fingerprint = excluded.fingerprint, reserved_ms = excluded.reserved_ms`
  })
}

export async function endReservations(sql: Database, accounts: readonly ChainAccount[]): Promise<void> {
  await eachAccount(accounts, async ({ chain, account }) => {
    await sql`delete from nonce_reservations where chain = ${chain} and account = ${account}`
  })
}

async function eachAccount(
  accounts: readonly ChainAccount[],
  write: (account: ChainAccount) => Promise<void>,
): Promise<void> {
  await Promise.all(accounts.map(write))
}
