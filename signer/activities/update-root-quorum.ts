import { setRootQuorum } from "../organization/root-quorum.ts"
import type { Activity } from "./activity.ts"

export const updateRootQuorum: Activity<"updateRootQuorumIntent", "updateRootQuorumResult"> = {
  run({ threshold, userIds }, { organization }) {
    setRootQuorum(organization, threshold, userIds, {
      threshold: "parameters.threshold",
      userIds: "parameters.userIds",
    })
    return {}
  },
}
