import type { IncomingHttpHeaders } from "node:http"
import type { KeyObject } from "node:crypto"
import { refuse } from "../../../signer/core/refusal.ts"
import { requireReadOnlySession } from "../../../signer/core/session/read-only-session.ts"
import type { StoredCredentialOwner, StoredOrganization } from "../store/stored-organization.ts"
import { type CallerStores, requireNotDeleted, unknownOrganization } from "./authenticate.ts"
import type { QueryCaller } from "./query-caller.ts"

/** A query with the text of a read-only session. */
type SessionQuery = { organizationId: string; text: string; nowMs: number }

/** The caller of a query, and the credential that opened their session. */
type SessionCaller = QueryCaller & { credential: string }

/**
 * The read-only session of a request; "" where it has none, or has a stamp: published clients send X-Session beside their
 * stamps, which alone count then.
 */
export function sessionText(headers: IncomingHttpHeaders): string {
  const hasStamp = ["x-stamp", "x-stamp-webauthn", "x-stamp-attested"].some((name) => headers[name])
  const value = headers["x-session"]
  if (hasStamp || value === undefined) return ""
  return Array.isArray(value) ? value.join() : value
}

/** Refuses an activity that comes with a read-only session alone. @throws Refusal READ_ONLY_SESSION_SUBMITS */
export function refuseSession(headers: IncomingHttpHeaders): void {
  if (sessionText(headers) === "") return
  const sentence =
    "no valid authentication signature found for request: X-Session is for queries; stamp activities"
  throw refuse("READ_ONLY_SESSION_SUBMITS", sentence)
}

/**
 * Identifies the caller of a query by a read-only session. It reads the one organization that it was opened in, and only while
 * its user has the credential that opened it. Both are looked up as the database has them now.
 *
 * @throws Refusal READ_ONLY_SESSION_INVALID, READ_ONLY_SESSION_EXPIRED, READ_ONLY_SESSION_ELSEWHERE,
 *   READ_ONLY_SESSION_ENDED, ORGANIZATION_UNKNOWN, ORGANIZATION_DELETED
 */
export async function identifySessionCaller(
  { organizationId, text, nowMs }: SessionQuery,
  { organizations, credentials }: Pick<CallerStores, "organizations" | "credentials">,
  notarizer: KeyObject,
): Promise<SessionCaller> {
  const session = requireReadOnlySession(text, notarizer, nowMs)
  if (session.organizationId !== organizationId) {
    const sentence = `the read-only session is of organization ${session.organizationId}, and reads no other`
    throw refuse("READ_ONLY_SESSION_ELSEWHERE", sentence, { field: "organizationId" })
  }
  const queried = await organizations.refresh(organizationId)
  if (queried === undefined) throw unknownOrganization(organizationId)
  requireNotDeleted(queried)
  const { credential, userId, openedAtMs } = session
  const found = await credentials.find(queried, credential)
  // The database may be behind the signer's ledger: its archive may have the credential.
  const { organization, owner } = found ? { organization: queried, owner: found } : await newerOwner(queried)
  const isOpeners = owner?.user.userId === userId && createdAtMsOf(owner) < openedAtMs + SECOND_MS
  if (owner !== undefined && isOpeners) return { queried: organization, organization, owner, credential }
  const sentence = "ended read-only session: its user no longer has the credential that opened it"
  throw refuse("READ_ONLY_SESSION_ENDED", sentence)

  async function newerOwner(known: StoredOrganization) {
    const newer = (await organizations.catchUp(known.id)) ?? known
    requireNotDeleted(newer)
    return { organization: newer, owner: await credentials.catchUp(newer, credential) }
  }
}

/** A session's text has whole seconds. */
const SECOND_MS = 1000

/** A credential that was removed and added again is another one. */
function createdAtMsOf(owner: StoredCredentialOwner): number {
  if ("contact" in owner) return Number(owner.user.createdAtMs)
  if ("oauthProvider" in owner) return Number(owner.oauthProvider.createdAtMs)
  return Number("authenticator" in owner ? owner.authenticator.createdAtMs : owner.apiKey.createdAtMs)
}
