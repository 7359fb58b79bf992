import { readUuid } from "../../../signer/core/uuid.ts"
import type { Database } from "../../database/database.ts"
import { invalid, notFound, unavailable } from "../errors.ts"
import { findByAuthProxyConfig } from "../store/auth-proxy-configs.ts"
import type { Signer } from "./signer.ts"

export type AuthProxyConfigurationDeps = {
  sql: Database
  signer: Pick<Signer, "getAuthProxyConfiguration">
  /** Documents as the database has them. */
  organizations: { refresh(organizationId: string): Promise<{ notarized: Uint8Array } | undefined> }
}

/** A question of an auth proxy, as its path and query have it. */
export type ConfigurationRequest = { configId: string; nonce: string }

/** The signer asks for one document; after it, the document may have changed once more. */
const MAX_ROUNDS = 3

/** 16 to 64 bytes. */
const NONCE = /^(?:[0-9a-f]{2}){16,64}$/i

/**
 * The signer's statement about a configuration, as JSON text: `statement` and `signature` in base64.
 *
 * @throws ApiError 400, 404, 503; Refusal of the signer
 */
export async function askAuthProxyConfiguration(
  { configId, nonce }: ConfigurationRequest,
  { sql, signer, organizations }: AuthProxyConfigurationDeps,
): Promise<string> {
  if (!NONCE.test(nonce)) throw invalid("nonce: write 16 to 64 bytes as hexadecimal digits", "nonce")
  const id = readUuid(configId)
  const organizationId = id && (await findByAuthProxyConfig(sql, id))
  if (organizationId === undefined) throw notFound("no auth proxy configuration has this id")
  const documents: Uint8Array[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const reply = await signer.getAuthProxyConfiguration(organizationId, Buffer.from(nonce, "hex"), documents)
    if (reply.statement.length > 0) return written(reply)
    const known = await organizations.refresh(organizationId)
    documents.splice(0, 1, ...(known ? [known.notarized] : []))
  }
  throw unavailable("the service could not load the document that the signer needs; try again")
}

function written(signed: { statement: Uint8Array; signature: Uint8Array }): string {
  const [statement, signature] = [signed.statement, signed.signature].map((bytes) =>
    Buffer.from(bytes).toString("base64"),
  )
  return JSON.stringify({ statement, signature })
}
