// Ways to log in. Each ends with a login that this browser keeps; no API key is ever stored.
import { activityBody, ApiFault, send } from "./client.ts"
import { generateKey, readKey, stampByKey, stampByPasskey, type BrowserKey } from "./keys.ts"
import { keepLogin } from "./login.ts"

/** Validity of a login by key. */
const SESSION_SECONDS = 12 * 60 * 60

/**
 * Logs in with the secret of a one-use link: the key of a short session, which this call replaces by one that the browser
 * makes. The signer ends the link's session in the same step, so a link opens one login.
 * @throws {ApiFault}
 */
export async function enterByLink(secret: string): Promise<void> {
  const bytes = Buffer.from(secret, "base64url")
  const organizationId = organizationOfLink(secret)
  const key = organizationId && (await readKey(bytes.subarray(16).toString("hex")))
  if (!organizationId || !key)
    throw new ApiFault("This link is not complete. Copy it whole.", { reason: "LINK_MALFORMED" })
  try {
    await openSession(organizationId, key, true)
  } catch (error) {
    if (!(error instanceof ApiFault) || !error.reason.startsWith("CREDENTIAL_")) throw error
    const sentence = "This link was used or has expired: it opens one login within 30 minutes."
    throw new ApiFault(sentence, { reason: "LINK_USED", requestId: error.requestId })
  }
}

/** The organization that a link's secret logs in to; undefined: it is not complete. */
export function organizationOfLink(secret: string): string | undefined {
  const bytes = Buffer.from(secret, "base64url")
  if (bytes.length !== 48) return undefined
  const digits = bytes.subarray(0, 16).toString("hex")
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/** Logs in with an API key, which stamps this one request and is forgotten. @throws {ApiFault} */
export async function enterByApiKey(organizationId: string, privateKey: string): Promise<void> {
  const key = await readKey(privateKey)
  if (key === undefined) {
    const sentence = "privateKey: not a P-256 private key; paste the 64 hexadecimal digits of its file."
    throw new ApiFault(sentence, { reason: "KEY_MALFORMED", field: "privateKey" })
  }
  await openSession(organizationId, key, false)
}

async function openSession(
  organizationId: string,
  key: BrowserKey,
  invalidateExisting: boolean,
): Promise<void> {
  const own = await generateKey()
  const expirationSeconds = String(SESSION_SECONDS)
  const parameters = { publicKey: own.publicKey, expirationSeconds, invalidateExisting }
  const openedAtMs = Date.now()
  const body = activityBody("ACTIVITY_TYPE_STAMP_LOGIN", parameters, organizationId)
  await send("/public/v1/submit/stamp_login", body, await stampByKey(key, body))
  const asked = JSON.stringify({ organizationId })
  const person = await send<Person>("/public/v1/query/whoami", asked, await stampByKey(own, asked))
  const expiresAtMs = openedAtMs + SESSION_SECONDS * 1000
  await keepLogin({ ...personOf(person, organizationId), by: "key", key: own, expiresAtMs })
}

type Person = { organizationId: string; organizationName: string; userId: string; username: string }

type ReadOnlySession = Person & { session: string; sessionExpiry: string }

/** Logs in with a passkey: it opens a read-only session, and stamps every later change itself. @throws {ApiFault} */
export async function enterByPasskey(organizationId: string): Promise<void> {
  const body = activityBody("ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION", {}, organizationId)
  const { headers, credentialId } = await stampByPasskey(body)
  const { activity } = await send<{ activity: { result: Record<string, ReadOnlySession> } }>(
    "/public/v1/submit/create_read_only_session",
    body,
    headers,
  )
  const [opened] = Object.values(activity.result)
  if (opened === undefined) {
    const sentence = "The login waits for an approval or a further credential. Finish it, then log in again."
    throw new ApiFault(sentence, { reason: "LOGIN_WAITS" })
  }
  const { session: readSession, sessionExpiry } = opened
  const expiresAtMs = Number(sessionExpiry) * 1000
  await keepLogin({
    ...personOf(opened, organizationId),
    by: "passkey",
    credentialId,
    readSession,
    expiresAtMs,
  })
}

/**
 * The user who is logged in. Secrets are sealed for the organization, so its id is what the user gave, and never what the API
 * says.
 * @throws {ApiFault}
 */
function personOf(
  { organizationId: stated, organizationName, userId, username }: Person,
  organizationId: string,
) {
  if (stated.toLowerCase() === organizationId.toLowerCase())
    return { organizationId: stated, organizationName, userId, username }
  const sentence = `The API answered for organization ${stated}, not for ${organizationId}: nothing was kept. Ask who runs it.`
  throw new ApiFault(sentence, { reason: "ORGANIZATION_DIFFERS" })
}
