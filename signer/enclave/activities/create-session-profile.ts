import { addSessionProfile } from "../organization/session-profiles.ts"
import type { Activity } from "./activity.ts"
import { requireExpression } from "./shared/policies.ts"

/** A profile sets scope and lifetime of the sessions that name it. */
export const createSessionProfile: Activity<"createSessionProfile"> = {
  check({ scope }) {
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
