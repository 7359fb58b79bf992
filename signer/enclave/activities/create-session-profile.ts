import { addSessionProfile } from "../organization/session-profiles.ts"
import type { Activity } from "./activity.ts"
import { requireExpression } from "./shared/expressions.ts"

/** Says what sessions may be used for, and how long. */
export const createSessionProfile: Activity<"createSessionProfileIntent", "createSessionProfileResult"> = {
  check({ scope }) {
    requireExpression("session profile scope", "condition", scope, "parameters.scope")
  },
  run({ sessionProfileName: name, scope, expirationSeconds, notes = "" }, { organization, newId }) {
    const sessionProfileId = newId()
    const profile = {
      sessionProfileId,
      name,
      scope,
      expirationSeconds: BigInt(expirationSeconds ?? 0),
      notes,
    }
    addSessionProfile(organization, profile, "parameters")
    return { sessionProfileId }
  },
}
