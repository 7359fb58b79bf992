import { fromBinary } from "@bufbuild/protobuf"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type IdentityKey, onlyContact } from "./identity-keys.ts"
import type { Queries } from "../../database/database.ts"
import { type Page, type Paged, readPage, type IdRange } from "./page.ts"
import { isUuidInAnyCase } from "./uuid.ts"

/** A condition on sub-organizations. Each is one range of one index. */
export type SubOrganizationFilter =
  | { by: "nothing" }
  | { by: "identity"; identity: IdentityKey }
  /** A verified contact. */
  | { by: "verified identity"; identity: IdentityKey }
  /** Sub-organizations with any verified contact. */
  | { by: "any verified identity" }
  /** Address of a wallet account, in canonical form. */
  | { by: "address"; address: string }

/** Ids of a parent's matching sub-organizations, oldest first. A deleted one stays a valid cursor. */
export async function listSubOrganizations(
  sql: Queries,
  parentId: string,
  filter: SubOrganizationFilter,
  page: Page,
): Promise<Paged<string>> {
  const isKnown = async (id: string) => {
    if (!isUuidInAnyCase(parentId)) return false
    const found = await sql`select 1 from organizations where id = ${id} and parent_id = ${parentId}`
    return found.length > 0
  }
  return readPage("ascending", page, isKnown, async (window) => {
    if (!isUuidInAnyCase(parentId)) return []
    const rows = await readWindow(sql, parentId, filter, window)
    return rows.map(({ id }) => id)
  })
}

/** Ids of sub-organizations with an identity. A `limit` of 2 distinguishes one from several without counting. */
export async function findByIdentity(
  sql: Queries,
  parentId: string,
  identity: IdentityKey,
  limit: number,
): Promise<string[]> {
  const found = await listSubOrganizations(sql, parentId, { by: "identity", identity }, { limit })
  return "rows" in found ? found.rows : []
}

/** Most documents that one look-up reads, of organizations stored before the column `only_login_method` existed. */
const MAX_READ = 20

/**
 * The sub-organizations to which a contact leads at login: at most `limit` in which it is proven. Without any, it is the oldest
 * unchanged one whose one user has the contact as their only login method. No other user was ever in that one.
 */
export async function findByLoginContact(
  sql: Queries,
  parentId: string,
  identity: IdentityKey,
  limit: number,
): Promise<string[]> {
  const proven = await listSubOrganizations(sql, parentId, { by: "verified identity", identity }, { limit })
  if ("rows" in proven && proven.rows.length > 0) return proven.rows
  const { kind, digest } = identity
  const rows = await sql<{ id: string; known: boolean; document: Uint8Array }[]>`
    select organization_id as id, only_login_method is not null as known, organizations.document
    from identities join organizations on organizations.id = organization_id
    where identities.parent_id = ${parentId} and kind = ${kind} and digest = ${digest}
      and kind in (3, 4) and only_login_method is not false and not organizations.deleted
    order by organization_id limit ${MAX_READ}`
  const found = rows.find(({ known, document }) => known || isOnlyLoginMethod(document, identity))
  return found === undefined ? [] : [found.id]
}

function isOnlyLoginMethod(notarized: Uint8Array, { kind, digest }: IdentityKey): boolean {
  const { document } = fromBinary(NotarizedDocumentSchema, notarized)
  const contact = onlyContact(fromBinary(OrganizationDocumentSchema, document))
  return contact?.kind === kind && Buffer.compare(contact.digest, digest) === 0
}

function readWindow(
  sql: Queries,
  parentId: string,
  filter: SubOrganizationFilter,
  { above, below, ascending, limit }: IdRange,
): PromiseLike<{ id: string }[]> {
  const direction = ascending ? sql`asc` : sql`desc`
  // Rows of a deleted organization remain until the worker has removed them. The list is short, and read once.
  const remains = sql`select id from organizations where parent_id = ${parentId} and rows_remain`
  const within = sql`organization_id > ${above} and organization_id < ${below}
    and organization_id <> all (array(${remains}))
    order by organization_id ${direction} limit ${limit}`
  switch (filter.by) {
    case "nothing":
      return sql<{ id: string }[]>`
        select id from organizations
        where parent_id = ${parentId} and not deleted and id > ${above} and id < ${below}
        order by id ${direction} limit ${limit}`
    case "identity":
      return sql<{ id: string }[]>`
        select organization_id as id from identities
        where parent_id = ${parentId} and kind = ${filter.identity.kind} and digest = ${filter.identity.digest}
          and ${within}`
    case "verified identity":
      return sql<{ id: string }[]>`
        select organization_id as id from identities
        where parent_id = ${parentId} and kind = ${filter.identity.kind} and digest = ${filter.identity.digest}
          and verified and ${within}`
    case "any verified identity":
      return sql<{ id: string }[]>`
        select distinct organization_id as id from identities where parent_id = ${parentId} and verified
          and ${within}`
    case "address":
      return sql<{ id: string }[]>`
        select distinct organization_id as id from records
        where family_id = ${parentId} and address = ${filter.address} and kind = ${WALLET_ACCOUNT} and not deleted
          and ${within}`
    default:
      return filter satisfies never
  }
}

/** RecordKind of countersign.state.v1. */
const WALLET_ACCOUNT = 2
