// Ways to log in. Each ends with a login that this browser keeps; no API key is ever stored.
import { readBase64url } from "../../../signer/core/encodings.ts"
import { activityBody, ApiFault, send } from "./client.ts"
import {
  askOrganizationOfPasskey,
  generateKey,
  readKey,
  stampByKey,
  stampByPasskey,
  type BrowserKey,
} from "./keys.ts"
import { uuidOf } from "./encoding.ts"
import { keepLogin } from "./login.ts"

/** Validity of a login by key. */
const SESSION_SECONDS = 12 * 60 * 60

/**
 * Logs in with the secret of a one-use link: the key of a short session, which this call replaces by one that the browser
 * makes. The signer ends the link's session in the same step, so a link opens one login.
 * @throws {ApiFault}
 */
export async function enterByLink(secret: string): Promise<void> {
  const bytes = bytesOfLink(secret)
  const organizationId = organizationOfLink(secret)
  const key = bytes && (await readKey(bytes.subarray(16).toString("hex")))
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
  const bytes = bytesOfLink(secret)
  return bytes && uuidOf(bytes.subarray(0, 16))
}

/** id(16) || private key(32); undefined: the text is not complete. */
function bytesOfLink(secret: string): Buffer | undefined {
  const bytes = readBase64url(secret)
  return bytes?.length === 48 ? bytes : undefined
}

/**
 * Logs in with an API key, which stamps this one request and is forgotten.
 * @param text the key, or a text with the key and the id of its organization, such as `.env.local`
 * @param chosen the organization, where the text names none
 * @throws {ApiFault}
 */
export async function enterByApiKey(text: string, chosen: string | undefined): Promise<void> {
  const found = keyIn(text)
  const key = await readKey(found.privateKey)
  if (key === undefined) {
    const sentence = "Not a P-256 private key; paste the 64 hexadecimal digits of its file, or .env.local."
    throw new ApiFault(sentence, { reason: "KEY_MALFORMED", field: "privateKey" })
  }
  const organizationId = found.organizationId ?? chosen
  if (organizationId === undefined) {
    const sentence =
      "This browser does not know the organization of this key. Paste the whole file that names both, such as .env.local."
    throw new ApiFault(sentence, { reason: "ORGANIZATION_UNKNOWN", field: "privateKey" })
  }
  await openSession(organizationId, key, false)
}

/** A private key in a text, and the organization's id beside it. */
export function keyIn(text: string): { privateKey: string; organizationId: string | undefined } {
  const privateKey = /API_PRIVATE_KEY\s*=\s*"?([0-9a-f]{64})\b/i.exec(text)?.[1] ?? text.trim()
  const [organizationId] = UUID.exec(text.split(/(?<!\w)ORGANIZATION_ID\s*=/)[1] ?? "") ?? []
  return { privateKey, organizationId: organizationId?.toLowerCase() }
}

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i

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

/**
 * Logs in with a passkey: it opens a read-only session, and stamps every later change itself. Without an organization the passkey
 * is asked for its own one first: a stamp covers the organization's id.
 * @throws {ApiFault}; {DOMException} if the user refuses
 */
export async function enterByPasskey(known?: {
  organizationId: string
  credentialId?: string
}): Promise<void> {
  const organizationId = known?.organizationId ?? (await askOrganizationOfPasskey())
  if (organizationId === undefined)
    throw new ApiFault(
      "This passkey does not name its organization: other pages made it. Log in here once by a link or an API key, then choose the organization by its name.",
      { reason: "PASSKEY_WITHOUT_ORGANIZATION" },
    )
  const body = activityBody("ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION", {}, organizationId)
  const { headers, credentialId } = await stampByPasskey(body, known?.credentialId)
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
