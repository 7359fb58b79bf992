import type { Queries } from "./database.ts"
import { type Page, type Paged, readPage } from "./page.ts"
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

/** Ids of the organizations below a parent, oldest first. */
export async function listSubOrganizations(
  sql: Queries,
  parentId: string,
  page: Page,
): Promise<Paged<string>> {
  const isKnown = async (id: string) => (await getOrganization(sql, id))?.parentId === parentId.toLowerCase()
  return readPage("ascending", page, isKnown, async ({ above, below, ascending, limit }) => {
    if (!isUuid(parentId)) return []
    const rows = await sql<{ id: string }[]>`
      select id from organizations where parent_id = ${parentId} and id > ${above} and id < ${below}
      order by id ${ascending ? sql`asc` : sql`desc`} limit ${limit}`
    return rows.map(({ id }) => id)
  })
}

/** Whose a public key is, by the document last stored: for look-ups, never for authentication alone. */
export type CredentialRow = { organizationId: string; userId: string }

export async function getCredential(
  sql: Queries,
  organizationId: string,
  publicKey: string,
): Promise<CredentialRow | undefined> {
  if (!isUuid(organizationId)) return undefined
  const [row] = await sql<CredentialRow[]>`
    select organization_id as "organizationId", user_id as "userId" from credentials
    where organization_id = ${organizationId} and public_key = ${publicKey}`
  return row
}

/**
 * The organizations that hold a public key, oldest first. `within` an organization: only itself and those
 * directly below it.
 */
export async function findCredentials(
  sql: Queries,
  publicKey: string,
  { limit, within }: { limit: number; within?: string },
): Promise<CredentialRow[]> {
  if (within !== undefined && !isUuid(within)) return []
  const family =
    within === undefined
      ? sql``
      : sql`and organization_id in (select id from organizations
          where id = credentials.organization_id and (id = ${within} or parent_id = ${within}))`
  return sql<CredentialRow[]>`
    select organization_id as "organizationId", user_id as "userId" from credentials
    where public_key = ${publicKey} ${family} order by organization_id limit ${limit}`
}
