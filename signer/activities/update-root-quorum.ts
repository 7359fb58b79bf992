import type { Activity } from "./activity.ts"

export const updateRootQuorum: Activity<"updateRootQuorumIntent", "updateRootQuorumResult"> = {
  run({ threshold, userIds }, { organization }) {
    organization.setRootQuorum(threshold, userIds, "parameters")
    return {}
  },
}
