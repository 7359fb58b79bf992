import { create } from "@bufbuild/protobuf"
import {
  type SessionScope,
  SessionScopeSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ActivityContext } from "../activity.ts"

/** Life of a session of which neither login nor profile says how long, seconds. */
const DEFAULT_SECONDS = 900n

const FIELD = "parameters.sessionProfileId"

/** What a login asks for; either may be left out. */
type Wish = { expirationSeconds?: string | undefined; sessionProfileId?: string | undefined }

/**
 * How long a session lives and what it is confined to. The shorter of login and profile counts. The profile goes into
 * the session as it is: profiles never change, and the parent need not be asked again for every stamp.
 *
 * A session that is confined opens sessions of its own profile alone, or it would be confined to nothing.
 *
 * @throws RESOURCE_UNKNOWN, SESSION_SCOPE_DENIED
 */
export function sessionTerms(
  { expirationSeconds, sessionProfileId: named }: Wish,
  { sessionScope, sessionProfile }: Pick<ActivityContext, "sessionScope" | "sessionProfile">,
): { expirationSeconds: bigint; scope?: SessionScope } {
  const asked = BigInt(expirationSeconds ?? 0)
  const sessionProfileId = named ?? sessionScope?.sessionProfileId
  if (sessionProfileId === undefined) return { expirationSeconds: shortest(asked) }
  const profile = sessionProfile(sessionProfileId, FIELD)
  if (sessionScope !== undefined && sessionScope.sessionProfileId !== profile.sessionProfileId) {
    const sentence = `session profile "${sessionScope.name}" opens no session of another profile`
    throw refuse("SESSION_SCOPE_DENIED", sentence, { field: FIELD })
  }
  const { name, scope: condition } = profile
  const scope = create(SessionScopeSchema, { sessionProfileId: profile.sessionProfileId, name, condition })
  return { expirationSeconds: shortest(asked, profile.expirationSeconds), scope }
}

/** Of those that say anything. */
function shortest(...seconds: bigint[]): bigint {
  const said = seconds.filter((length) => length > 0n)
  return said.length === 0 ? DEFAULT_SECONDS : said.reduce((a, b) => (b < a ? b : a))
}
