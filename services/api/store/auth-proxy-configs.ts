import type { Queries, Transaction } from "../../database/database.ts"

/** Stores which organization a configuration belongs to. The id of an organization's configuration never changes. */
export async function storeAuthProxyConfig(
  tx: Transaction,
  organizationId: string,
  configId: string,
): Promise<void> {
  await tx`
    insert into auth_proxy_configs (organization_id, config_id) values (${organizationId}, ${configId})
    on conflict do nothing`
}

/** Id of the organization with this configuration. */
export async function findByAuthProxyConfig(sql: Queries, configId: string): Promise<string | undefined> {
  const [row] = await sql<{ organizationId: string }[]>`
    select organization_id as "organizationId" from auth_proxy_configs where config_id = ${configId}`
  return row?.organizationId
}
