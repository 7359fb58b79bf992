import { requireUser } from "../../organization/users.ts"
import type { Activity } from "../../activities/activity.ts"

/** Lifetime of a read-only session, as published. */
const LIFETIME_MS = 60 * 60 * 1000

const needs = ["credential", "session"] as const

/**
 * Opens a session that reads and submits nothing. It has no key and no record: it ends at its expiry, with the credential
 * that opened it or with its user. It never outlives that credential.
 */
export const createReadOnlySession: Activity<"createReadOnlySession", typeof needs> = {
  needs,
  /** @throws RESOURCE_UNKNOWN, LOGIN_LAPSED */
  run(_parameters, context) {
    const { organization, nowMs, credential: stamp } = context
    const { userId, name: username } = requireUser(organization, context.userId, "parameters")
    const latestMs = nowMs + LIFETIME_MS
    const { name: credential, expiresAtMs: endMs } = stamp
    const expiresAtMs = endMs === 0n ? latestMs : Math.min(latestMs, Number(endMs))
    const claims = { userId, credential, openedAtMs: nowMs, expiresAtMs }
    return {
      organizationId: organization.id,
      organizationName: organization.document.name,
      userId,
      username,
      session: context.session.readOnly(claims),
      sessionExpiry: String(Math.floor(expiresAtMs / 1000)),
    }
  },
}
