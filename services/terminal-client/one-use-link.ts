import { type ApiClient, activityBody, submit } from "./api-client.ts"
import { dangerouslyRevealPrivateKey, generateApiKey } from "./api-key.ts"

/** Validity of a link. */
const LINK_SECONDS = 30 * 60

/**
 * A link that logs in to the dashboard once, for the user of the client's key. Its fragment, which no browser sends, holds
 * organization and key of a short session. The page replaces that session by one with a key of its browser, in one activity
 * that ends the link's session. So a link works once.
 */
export async function oneUseLink(
  client: ApiClient,
  organizationId: string,
  dashboardUrl: string,
): Promise<string> {
  const key = generateApiKey()
  const parameters = { publicKey: key.publicKey, expirationSeconds: String(LINK_SECONDS) }
  await submit(client, "stamp_login", activityBody("ACTIVITY_TYPE_STAMP_LOGIN", organizationId, parameters))
  const secret = Buffer.concat([
    Buffer.from(organizationId.replaceAll("-", ""), "hex"),
    Buffer.from(dangerouslyRevealPrivateKey(key), "hex"),
  ])
  return `${dashboardUrl}/enter#${secret.toString("base64url")}`
}
