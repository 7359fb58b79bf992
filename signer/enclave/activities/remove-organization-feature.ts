import { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { disableProxy } from "../organization/auth-proxy.ts"
import { listFeatures, removeFeature } from "../organization/features.ts"
import type { Activity } from "./activity.ts"

export const removeOrganizationFeature: Activity<"removeOrganizationFeature"> = {
  run({ name }, { organization }) {
    if (name === FeatureName.AUTH_PROXY) disableProxy(organization)
    removeFeature(organization, name)
    return { features: listFeatures(organization) }
  },
}
