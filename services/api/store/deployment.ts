import type { Database } from "../../database/database.ts"

/** The public identity of a deployment: its id, a UUID, and the key sets of its pins, 260 hexadecimal digits each. */
export type Deployment = { id: string; signerPublicKey: string; notarizerPublicKey: string }

/** The deployment whose state the database holds; undefined: none is recorded yet. */
export async function storedDeployment(sql: Database): Promise<Deployment | undefined> {
  const [row] = await sql<Deployment[]>`
    select id, signer_public_key as "signerPublicKey", notarizer_public_key as "notarizerPublicKey" from deployment`
  return row
}

/** Records the deployment of a database that has none. A recorded one stays. */
export async function recordDeployment(sql: Database, deployment: Deployment): Promise<void> {
  const { id, signerPublicKey, notarizerPublicKey } = deployment
  await sql`
    insert into deployment (id, signer_public_key, notarizer_public_key)
    values (${id}, ${signerPublicKey}, ${notarizerPublicKey}) on conflict do nothing`
}

/** The notarized document of one organization; undefined: the database holds none. */
export async function anyDocument(sql: Database): Promise<Uint8Array | undefined> {
  const [row] = await sql<{ document: Uint8Array }[]>`select document from organizations limit 1`
  return row?.document
}
