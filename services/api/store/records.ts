import type { Queries } from "../../database/database.ts"
import { type Page, type Paged, readPage } from "./page.ts"
import { isUuidInAnyCase } from "./uuid.ts"

/** A record outside the document. Read functions never return deleted records. */
export type RecordRow = {
  organizationId: string
  /** RecordKind of countersign.state.v1. */
  kind: number
  id: string
  /** An account's wallet. */
  parentId: string | null
  address: string | null
  version: bigint
  /** Serialized Record, as the signer sent it. */
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
  if (!isUuidInAnyCase(organizationId) || !isUuidInAnyCase(id)) return undefined
  const [row] = await sql<RecordRow[]>`
    select ${columns(sql)} from records
    where organization_id = ${organizationId} and kind = ${kind} and id = ${id} and not deleted`
  return row
}

/** `address` must be in canonical form, in which it is stored. */
export async function getRecordByAddress(
  sql: Queries,
  organizationId: string,
  address: string,
): Promise<RecordRow | undefined> {
  if (!isUuidInAnyCase(organizationId)) return undefined
  const [row] = await sql<RecordRow[]>`
    select ${columns(sql)} from records
    where organization_id = ${organizationId} and address = ${address} and not deleted order by id limit 1`
  return row
}

/** Without `parentId`: all records of this kind in the organization. */
type RecordFilter = { organizationId: string; kind: number; parentId?: string | undefined }

/** Oldest first, or newest first. */
export async function listRecords(
  sql: Queries,
  { organizationId, kind, parentId }: RecordFilter,
  page: Page,
  order: "ascending" | "descending" = "ascending",
): Promise<Paged<RecordRow>> {
  const isKnown = async (id: string) =>
    isUuidInAnyCase(organizationId) && exists(sql, organizationId, kind, id)
  return readPage(order, page, isKnown, async ({ above, below, ascending, limit }) => {
    if (!isUuidInAnyCase(organizationId) || (parentId !== undefined && !isUuidInAnyCase(parentId))) return []
    return sql<RecordRow[]>`
      select ${columns(sql)} from records
      where organization_id = ${organizationId} and kind = ${kind} and not deleted
      ${parentId === undefined ? sql`` : sql`and parent_id = ${parentId}`}
      and id > ${above} and id < ${below}
      order by id ${ascending ? sql`asc` : sql`desc`} limit ${limit}`
  })
}

/** The oldest account of a wallet at a path. */
export async function getAccountByPath(
  sql: Queries,
  organizationId: string,
  walletId: string,
  path: string,
): Promise<RecordRow | undefined> {
  if (!isUuidInAnyCase(organizationId) || !isUuidInAnyCase(walletId)) return undefined
  const [row] = await sql<RecordRow[]>`
    select ${columns(sql)} from records
    where organization_id = ${organizationId} and parent_id = ${walletId} and not deleted
    and path_digest = sha256(convert_to(${path}, 'UTF8'))
    order by id limit 1`
  return row
}

/** A deleted record stays a valid cursor, so that paging continues while records are deleted. */
async function exists(sql: Queries, organizationId: string, kind: number, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from records where organization_id = ${organizationId} and kind = ${kind} and id = ${id}`
  return rows.length > 0
}

/** Records that one statement of `allRecords` reads. */
const ALL_RECORDS_STEP = 100

/**
 * All records of a kind, oldest first, some at a time: a reader that stops early has not read the rest. Each step sees the
 * database as it is then.
 */
export async function* allRecords(
  sql: Queries,
  organizationId: string,
  kind: number,
): AsyncGenerator<RecordRow[], void> {
  if (!isUuidInAnyCase(organizationId)) return
  for (let last: string | undefined; ; ) {
    const rows: RecordRow[] = await sql<RecordRow[]>`
      select ${columns(sql)} from records
      where organization_id = ${organizationId} and kind = ${kind} and not deleted
      ${last === undefined ? sql`` : sql`and id > ${last}`}
      order by id limit ${ALL_RECORDS_STEP}`
    if (rows.length > 0) yield rows
    last = rows.at(-1)?.id
    if (rows.length < ALL_RECORDS_STEP) return
  }
}

/** The existing records with these ids, of any kind, by id. */
export async function getRecordsById(
  sql: Queries,
  organizationId: string,
  ids: readonly string[],
): Promise<RecordRow[]> {
  const wanted = ids.filter(isUuidInAnyCase)
  if (!isUuidInAnyCase(organizationId) || wanted.length === 0) return []
  return sql<RecordRow[]>`
    select ${columns(sql)} from records
    where organization_id = ${organizationId} and kind = any (${KINDS}::smallint[]) and id = any (${wanted}::uuid[])
      and not deleted
    order by id`
}

/** All values of RecordKind, listed so that the look-up uses the primary key. */
const KINDS = [1, 2, 3, 4, 5, 6, 7]
