import type { Queries } from "./database.ts"
import { type Page, type Paged, readPage } from "./page.ts"
import { isUuid } from "./uuid.ts"

/** A record that stands beside the document. Readers never return deleted ones. */
export type RecordRow = {
  organizationId: string
  /** RecordKind of countersign.state.v1. */
  kind: number
  id: string
  /** The wallet of an account. */
  parentId: string | null
  address: string | null
  version: bigint
  /** The serialized record, as the signer gave it. */
  bytes: Uint8Array
}

function columns(sql: Queries) {
  return sql`organization_id as "organizationId", kind, id, parent_id as "parentId", address, version, bytes`
}

export async function getRecord(
  sql: Queries,
  organizationId: string,
  kind: number,
  id: string,
): Promise<RecordRow | undefined> {
  if (!isUuid(organizationId) || !isUuid(id)) return undefined
  const [row] = await sql<RecordRow[]>`
    select ${columns(sql)} from records
    where organization_id = ${organizationId} and kind = ${kind} and id = ${id} and not deleted`
  return row
}

/** An address is compared letter by letter: the caller brings it into the form in which it is stored. */
export async function getRecordByAddress(
  sql: Queries,
  organizationId: string,
  address: string,
): Promise<RecordRow | undefined> {
  if (!isUuid(organizationId)) return undefined
  const [row] = await sql<RecordRow[]>`
    select ${columns(sql)} from records
    where organization_id = ${organizationId} and address = ${address} and not deleted order by id limit 1`
  return row
}

/** `parentId` left out: the records of this kind of the whole organization. */
export type RecordFilter = { organizationId: string; kind: number; parentId?: string | undefined }

/** Oldest first. */
export async function listRecords(
  sql: Queries,
  { organizationId, kind, parentId }: RecordFilter,
  page: Page,
): Promise<Paged<RecordRow>> {
  const isKnown = async (id: string) => isUuid(organizationId) && exists(sql, organizationId, kind, id)
  return readPage("ascending", page, isKnown, async ({ above, below, ascending, limit }) => {
    if (!isUuid(organizationId) || (parentId !== undefined && !isUuid(parentId))) return []
    return sql<RecordRow[]>`
      select ${columns(sql)} from records
      where organization_id = ${organizationId} and kind = ${kind} and not deleted
      ${parentId === undefined ? sql`` : sql`and parent_id = ${parentId}`}
      and id > ${above} and id < ${below}
      order by id ${ascending ? sql`asc` : sql`desc`} limit ${limit}`
  })
}

/** Those below a parent whose bytes hold these ones, oldest first; reads every record below it. */
export async function findRecords(
  sql: Queries,
  { organizationId, kind, parentId }: Required<RecordFilter>,
  bytes: Uint8Array,
): Promise<RecordRow[]> {
  if (!isUuid(organizationId) || parentId === undefined || !isUuid(parentId)) return []
  return sql<RecordRow[]>`
    select ${columns(sql)} from records
    where organization_id = ${organizationId} and parent_id = ${parentId} and kind = ${kind} and not deleted
    and position(${Buffer.from(bytes)}::bytea in bytes) > 0
    order by id`
}

/** A deleted record stays a good cursor: who walks a list while it shrinks does not lose his place. */
async function exists(sql: Queries, organizationId: string, kind: number, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from records where organization_id = ${organizationId} and kind = ${kind} and id = ${id}`
  return rows.length > 0
}

/** All of a kind that an organization has few of, such as wallets; oldest first. */
export async function listAllRecords(
  sql: Queries,
  organizationId: string,
  kind: number,
): Promise<RecordRow[]> {
  if (!isUuid(organizationId)) return []
  return sql<RecordRow[]>`
    select ${columns(sql)} from records
    where organization_id = ${organizationId} and kind = ${kind} and not deleted order by id`
}

/** Those of these ids that exist, whatever their kind; in the order of their ids. */
export async function getRecordsById(
  sql: Queries,
  organizationId: string,
  ids: readonly string[],
): Promise<RecordRow[]> {
  const wanted = ids.filter(isUuid)
  if (!isUuid(organizationId) || wanted.length === 0) return []
  return sql<RecordRow[]>`
    select ${columns(sql)} from records
    where organization_id = ${organizationId} and kind = any (${KINDS}::smallint[]) and id = any (${wanted}::uuid[])
      and not deleted
    order by id`
}

/** Every kind of RecordKind; named so that the primary key serves the look-up. */
const KINDS = [1, 2, 3, 4, 5, 6]
