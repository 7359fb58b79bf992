import { requireUser } from "../organization/users.ts"
import type { Activity } from "./activity.ts"

/** Lifetime of a read-only session, as published. */
const LIFETIME_MS = 60 * 60 * 1000

/**
 * Opens a session that reads and submits nothing. It has no key and no record: it ends at its expiry, with the credential
 * that opened it or with its user. It never outlives that credential.
 */
export const createReadOnlySession: Activity<"createReadOnlySession"> = {
  /** @throws RESOURCE_UNKNOWN, LOGIN_LAPSED */
  run(_parameters, context) {
    const { organization, nowMs, stampedBy } = context
    const { userId, name: username } = requireUser(organization, context.userId, "parameters")
    const latestMs = nowMs + LIFETIME_MS
    const { credential, expiresAtMs: endMs } = stampedBy
    const expiresAtMs = endMs === 0n ? latestMs : Math.min(latestMs, Number(endMs))
    const organizationId = organization.id
    const claims = { organizationId, userId, credential, openedAtMs: nowMs, expiresAtMs }
    return {
      organizationId,
      organizationName: organization.document.name,
      userId,
      username,
      session: context.readOnlySession(claims),
      sessionExpiry: String(Math.floor(expiresAtMs / 1000)),
    }
  },
}
