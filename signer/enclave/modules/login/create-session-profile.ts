import { refuse } from "../../../core/refusal.ts"
import { addSessionProfile } from "./session-profiles.ts"
import type { Activity } from "../../activities/activity.ts"
import { requireExpression } from "../../activities/expressions.ts"

/** A profile sets scope and lifetime of the sessions that name it. */
export const createSessionProfile: Activity<"createSessionProfile"> = {
  /** @throws SESSION_PROFILE_NAME_RESERVED, the codes of requireExpression */
  check({ sessionProfileName, scope }) {
    requireFreeName(sessionProfileName)
    requireExpression("session profile scope", "condition", scope, "parameters.scope")
  },
  run({ sessionProfileName: name, scope, expirationSeconds, notes = "" }, { organization, newId }) {
    const sessionProfileId = newId()
    const seconds = BigInt(expirationSeconds ?? 0)
    const profile = { sessionProfileId, name, scope, expirationSeconds: seconds, notes }
    addSessionProfile(organization, profile, "parameters")
    return { sessionProfileId }
  },
}

/** The claim `session_type` of a token is the profile's name; without profile it is the kind of the session. */
function requireFreeName(name: string): void {
  if (!name.startsWith("SESSION_TYPE_")) return
  const sentence = `session profile name "${name}" begins as the kinds of sessions do, SESSION_TYPE_: choose another`
  throw refuse("SESSION_PROFILE_NAME_RESERVED", sentence, { field: "parameters.sessionProfileName" })
}
