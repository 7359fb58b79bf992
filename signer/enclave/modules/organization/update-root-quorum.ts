import { setRootQuorum } from "./root-quorum.ts"
import type { Activity } from "../../activities/activity.ts"

export const updateRootQuorum: Activity<"updateRootQuorum"> = {
  run({ threshold, userIds }, { organization }) {
    const fields = { threshold: "parameters.threshold", userIds: "parameters.userIds" }
    setRootQuorum(organization, { threshold, userIds }, fields)
    return {}
  },
}
