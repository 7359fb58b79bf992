import { removeSessionProfile } from "./session-profiles.ts"
import type { Activity } from "../../activities/activity.ts"

/** No session opens with a deleted profile. Sessions that it opened keep their own copy of its scope. */
export const deleteSessionProfile: Activity<"deleteSessionProfile"> = {
  run: ({ sessionProfileId }, { organization }) => ({
    sessionProfileId: removeSessionProfile(organization, sessionProfileId, "parameters.sessionProfileId"),
  }),
}
