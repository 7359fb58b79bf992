import { FeatureName } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { enableProxy } from "../organization/auth-proxy.ts"
import { listFeatures, setFeature } from "../organization/features.ts"
import type { Activity } from "./activity.ts"

export const setOrganizationFeature: Activity<"setOrganizationFeature"> = {
  run({ name, value }, context) {
    const { organization } = context
    setFeature(organization, name, value ?? "", "parameters")
    if (name === FeatureName.AUTH_PROXY) enableProxy(organization, context)
    return { features: listFeatures(organization) }
  },
}
