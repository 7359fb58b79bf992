import type { Queries } from "./database.ts"
import { isUuid } from "./uuid.ts"

export type OrganizationRow = {
  id: string
  parentId: string | null
  name: string
  version: bigint
  /** The notarized document, as the signer gave it. */
  document: Uint8Array
  createdMs: number
}

export async function getOrganization(sql: Queries, id: string): Promise<OrganizationRow | undefined> {
  const [organization] = await getOrganizations(sql, [id])
  return organization
}

/** Those that exist, in the order of their ids. */
export async function getOrganizations(sql: Queries, ids: string[]): Promise<OrganizationRow[]> {
  const wanted = ids.filter(isUuid)
  if (wanted.length === 0) return []
  const rows = await sql<StoredOrganization[]>`
    select id, parent_id as "parentId", name, version, document, created_ms as "createdMs"
    from organizations where id = any (${wanted}::uuid[]) order by id`
  return rows.map((row) => ({ ...row, createdMs: Number(row.createdMs) }))
}

type StoredOrganization = Omit<OrganizationRow, "createdMs"> & { createdMs: bigint }
