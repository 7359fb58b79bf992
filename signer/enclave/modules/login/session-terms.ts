import { create } from "@bufbuild/protobuf"
import { SessionScopeSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { enabledSettings } from "../../../core/auth-proxy/settings.ts"
import { isProvenOrigin } from "../../../core/policy/decision/credentials.ts"
import { refuse } from "../../../core/refusal.ts"
import { requireSessionProfile } from "./session-profiles.ts"
import type { ActivityContext } from "../../activities/activity.ts"

/** Lifetime in seconds of a session for which neither login nor profile sets one. */
const DEFAULT_SECONDS = 900n

const FIELD = "parameters.sessionProfileId"

/** Members of a login that determine its session's terms. */
export type LoginParameters = {
  expirationSeconds?: string | undefined
  sessionProfileId?: string | undefined
}

/**
 * Lifetime and scope of a new session. The shorter lifetime of login and profile applies. A session that a contact or an
 * identity began lasts at most as long as the auth proxy's, for every caller. The scope is copied from the profile
 * into the session: profiles never change, and the parent's document is not needed for every stamp. The copy outlives a deleted
 * profile, so a session never gains rights.
 *
 * A scoped session opens sessions of its own profile only; otherwise it could escape its scope.
 * @param origin value of `SessionRecord.opened_by`
 * @throws RESOURCE_UNKNOWN, SESSION_SCOPE_DENIED
 */
export function sessionTerms(
  login: LoginParameters,
  origin: string,
  { credential, settings }: ActivityContext<["credential", "settings"]>,
) {
  const { scope: sessionScope } = credential
  const { expirationSeconds, sessionProfileId: requested } = login
  const seconds = BigInt(expirationSeconds ?? 0)
  const proxy = isProvenOrigin(origin) ? enabledSettings(settings.governing) : undefined
  const limit = BigInt(proxy?.sessionExpirationSeconds ?? 0)
  const sessionProfileId = requested ?? sessionScope?.sessionProfileId
  if (sessionProfileId === undefined) return { expirationSeconds: bounded(shortest(seconds), limit) }
  const profile = requireSessionProfile(settings.governing, sessionProfileId, FIELD)
  if (sessionScope !== undefined && sessionScope.sessionProfileId !== profile.sessionProfileId) {
    const sentence = `a session of session profile "${sessionScope.name}" cannot open sessions of another profile`
    throw refuse("SESSION_SCOPE_DENIED", sentence, { field: FIELD })
  }
  const { name, scope: condition } = profile
  const scope = create(SessionScopeSchema, { sessionProfileId: profile.sessionProfileId, name, condition })
  return { expirationSeconds: bounded(shortest(seconds, profile.expirationSeconds), limit), scope }
}

/** The shortest lifetime that is set; 0 is unset. */
function shortest(...lifetimes: bigint[]): bigint {
  const set = lifetimes.filter((seconds) => seconds > 0n)
  return set.length === 0 ? DEFAULT_SECONDS : set.reduce((a, b) => (b < a ? b : a))
}

/** @param limit seconds; 0 is none */
function bounded(seconds: bigint, limit: bigint): bigint {
  return limit > 0n && limit < seconds ? limit : seconds
}
