// State that the database has and an older ledger lacks: queries for it, and its removal.
import { type ActivityRow, activityColumns, readActivity, type StoredActivity } from "./activity-row.ts"
import { replaceActivity } from "./activities.ts"
import type { Database, Transaction } from "../../database/database.ts"
import { LOWEST_UUID } from "./uuid.ts"
import { ORGANIZATION_STATE_TABLES } from "./tables.ts"

/** An organization as the database has it. */
export type StoredVersion = { id: string; parentId: string | null; version: bigint; sequence: bigint }

const PAGE = 500

/** A page of organizations, in the order of their ids. */
export async function pageOfOrganizations(sql: Database, after: string): Promise<StoredVersion[]> {
  return sql<StoredVersion[]>`
    select id, parent_id as "parentId", version, ledger_sequence as sequence from organizations
    where id > ${after || LOWEST_UUID} order by id limit ${PAGE}`
}

export async function organizationsWithIds(sql: Database, ids: readonly string[]): Promise<StoredVersion[]> {
  return sql<StoredVersion[]>`
    select id, parent_id as "parentId", version, ledger_sequence as sequence from organizations
    where id = any (${[...ids]}::uuid[]) order by id`
}

export async function documentOf(sql: Database, organizationId: string): Promise<Uint8Array> {
  const [row] = await sql<{ document: Uint8Array }[]>`
    select document from organizations where id = ${organizationId}`
  return row?.document ?? new Uint8Array(0)
}

/** The highest version of an organization's records; 0: it has none. */
export async function highestRecordVersion(sql: Database, organizationId: string): Promise<bigint> {
  const [row] = await sql<{ version: bigint | null }[]>`
    select max(version) as version from records where organization_id = ${organizationId}`
  return row?.version ?? 0n
}

/** Names of connected programs of the deployment that use the database, other than the caller. */
export async function connectedPrograms(sql: Database): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'countersign-%'
      and application_name <> current_setting('application_name') order by 1`
  return rows.map(({ name }) => name)
}

/** A record or a session as the database has it. `kind` undefined: a session. */
export type StoredBytes = { kind?: number; id: string; deleted: boolean; bytes: Uint8Array }

/** A page of an organization's records. */
export async function pageOfRecords(
  sql: Database,
  organizationId: string,
  { kind, id }: { kind: number; id: string },
): Promise<(StoredBytes & { kind: number })[]> {
  return sql`
    select kind, id, deleted, bytes from records
    where organization_id = ${organizationId} and (kind, id) > (${kind}, ${id}::uuid) order by kind, id limit ${PAGE}`
}

export const FIRST_RECORD = { kind: -1, id: LOWEST_UUID }

/** Sessions that stamp at this time. */
export async function livingSessions(
  sql: Database,
  organizationId: string,
  nowMs: number,
): Promise<StoredBytes[]> {
  return sql`
    select id, ended as deleted, bytes from sessions
    where organization_id = ${organizationId} and not ended and expires_ms > ${nowMs} order by id`
}

/** An activity with its transactions and the sequence of the ledger's transaction; undefined: the ledger never had it. */
export type SequencedActivity = { row: ActivityRow; sequence: bigint | undefined; sends: number }

/** A page of an organization's activities that the ledger changed after a sequence. -1: all activities. */
export async function pageOfActivities(
  sql: Database,
  organizationId: string,
  sequence: bigint,
  afterId: string,
): Promise<SequencedActivity[]> {
  const rows = await sql<(StoredActivity & { sequence: bigint | null; sends: number })[]>`
    select ${activityColumns(sql)}, activities.ledger_sequence as sequence,
      (select count(*)::int from sends where sends.organization_id = activities.organization_id
        and sends.activity_id = activities.id) as sends
    from activities where organization_id = ${organizationId} and id > ${afterId || LOWEST_UUID}
      and (ledger_sequence > ${sequence} or ${sequence < 0n}) order by id limit ${PAGE}`
  return rows.map(({ sequence: latest, sends, ...stored }) => ({
    row: readActivity(stored),
    sequence: latest ?? undefined,
    sends,
  }))
}

/** Sets an organization's version to 0, so that the ledger's state replaces it, also after a crash. */
export async function forgetState(tx: Transaction, organizationId: string): Promise<void> {
  await tx`update organizations set version = 0, ledger_sequence = 0 where id = ${organizationId}`
  await tx`delete from auth_proxy_configs where organization_id = ${organizationId}`
}

export async function removeStored(
  tx: Transaction,
  organizationId: string,
  { records, sessions }: { records: readonly StoredBytes[]; sessions: readonly StoredBytes[] },
): Promise<void> {
  const idsOf = (rows: readonly StoredBytes[]) => rows.map(({ id }) => id)
  await tx`delete from records where organization_id = ${organizationId} and id = any (${idsOf(records)}::uuid[])`
  await tx`delete from sessions where organization_id = ${organizationId} and id = any (${idsOf(sessions)}::uuid[])`
}

/** Removes activities and their undelivered notifications. Transactions stay: they may be on their chain. */
export async function removeLostActivities(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  await tx`delete from activities where organization_id = ${organizationId} and id = any (${[...ids]}::uuid[])`
  await tx`
    delete from webhook_deliveries where source_id = ${organizationId} and subject_id = any (${[...ids]}::uuid[])
      and state in ('WAITING', 'DEFERRED')`
}

/** Shows an activity as waiting again, with the vote that opened it. Only the ledger knows which later votes it has. */
export async function showPendingAgain(tx: Transaction, row: ActivityRow, status: string): Promise<void> {
  const { votes, createdMs } = row
  const opened = { votes: votes.slice(0, 1), status, result: null, failure: null, updatedMs: createdMs }
  await replaceActivity(tx, { ...row, ...opened, appProofs: null })
}

/** Removes all rows of an organization but its signed transactions, which may be on their chain. */
export async function removeOrganization(tx: Transaction, organizationId: string): Promise<void> {
  for (const table of ORGANIZATION_STATE_TABLES)
    await tx`delete from ${tx(table)} where organization_id = ${organizationId}`
  await tx`delete from organizations where id = ${organizationId}`
}
