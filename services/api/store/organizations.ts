import type { Queries } from "../../database/database.ts"
import { isUuidInAnyCase } from "./uuid.ts"

export type OrganizationRow = {
  id: string
  parentId: string | null
  name: string
  version: bigint
  /** Serialized NotarizedDocument, as the signer sent it. */
  document: Uint8Array
  createdMs: number
}

export async function getOrganization(sql: Queries, id: string): Promise<OrganizationRow | undefined> {
  const [organization] = await getOrganizations(sql, [id])
  return organization
}

/** The existing ones of these organizations, by id. */
export async function getOrganizations(sql: Queries, ids: string[]): Promise<OrganizationRow[]> {
  const wanted = ids.filter(isUuidInAnyCase)
  if (wanted.length === 0) return []
  const rows = await sql<OrganizationColumns[]>`
    select ${columns(sql)} from organizations where id = any (${wanted}::uuid[]) order by id`
  return rows.map(readRow)
}

/** The organization if the database has it at a later version. */
export async function getNewerOrganization(
  sql: Queries,
  id: string,
  version: bigint,
): Promise<OrganizationRow | undefined> {
  const [row] = await sql<OrganizationColumns[]>`
    select ${columns(sql)} from organizations where id = ${id} and version > ${version}`
  return row && readRow(row)
}

function columns(sql: Queries) {
  return sql`id, parent_id as "parentId", name, version, document, created_ms as "createdMs"`
}

function readRow(row: OrganizationColumns): OrganizationRow {
  return { ...row, createdMs: Number(row.createdMs) }
}

type OrganizationColumns = Omit<OrganizationRow, "createdMs"> & { createdMs: bigint }
