import type { StoredIdentity } from "./identity-keys.ts"
import { hex } from "./activity-row.ts"
import type { Transaction } from "../../database/database.ts"

/**
 * Replaces the identities of a sub-organization by those of its newest document, whose row the transaction has locked.
 * Only differences are written: most changes leave identities as they are.
 */
export async function replaceIdentities(
  tx: Transaction,
  organizationId: string,
  parentId: string,
  identities: readonly StoredIdentity[],
): Promise<void> {
  const list = identities.map(({ digest, ...identity }) => ({ ...identity, digest: hex(digest) }))
  await tx`
    with given as materialized (
      select kind, decode(digest, 'hex') as digest, verified, "onlyLoginMethod" as only_login_method
      from jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb)
        as list (kind smallint, digest text, verified boolean, "onlyLoginMethod" boolean)
    ), gone as (
      delete from identities where organization_id = ${organizationId}
        and not exists (select from given where (given.kind, given.digest) = (identities.kind, identities.digest))
    )
    insert into identities (organization_id, kind, digest, parent_id, verified, only_login_method)
    select ${organizationId}::uuid, kind, digest, ${parentId}::uuid, verified, only_login_method from given
    on conflict (organization_id, kind, digest) do update
      set verified = excluded.verified, only_login_method = excluded.only_login_method
    where (identities.verified, identities.only_login_method)
      is distinct from (excluded.verified, excluded.only_login_method)`
}
