import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { disableProxy } from "../../organization/auth-proxy.ts"
import { listFeatures, removeFeature } from "../../organization/features.ts"
import { isQuorumReachable, requireReachableQuorum } from "./root-quorum.ts"
import type { Activity } from "../../activities/activity.ts"

export const removeOrganizationFeature: Activity<"removeOrganizationFeature"> = {
  run({ name }, { organization }) {
    const couldAct = isQuorumReachable(organization)
    if (name === FeatureName.AUTH_PROXY) disableProxy(organization)
    removeFeature(organization, name)
    requireReachableQuorum(organization, couldAct, "parameters.name")
    return { features: listFeatures(organization) }
  },
}
