import { setRootQuorum } from "../organization/root-quorum.ts"
import type { Activity } from "./activity.ts"

export const updateRootQuorum: Activity<"updateRootQuorum"> = {
  run({ threshold, userIds }, { organization }) {
    const fields = { threshold: "parameters.threshold", userIds: "parameters.userIds" }
    setRootQuorum(organization, { threshold, userIds }, fields)
    return {}
  },
}
