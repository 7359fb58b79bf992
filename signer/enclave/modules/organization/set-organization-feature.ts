import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { enableProxy } from "../../organization/auth-proxy.ts"
import { listFeatures, setFeature } from "../../organization/features.ts"
import type { Activity } from "../../activities/activity.ts"

const needs = ["authProxyKey"] as const

export const setOrganizationFeature: Activity<"setOrganizationFeature", typeof needs> = {
  needs,
  run({ name, value }, { organization, newId, authProxyKey }) {
    setFeature(organization, name, value ?? "", "parameters")
    if (name === FeatureName.AUTH_PROXY)
      enableProxy(organization, { newId, newAuthProxyKey: authProxyKey.make })
    return { features: listFeatures(organization) }
  },
}
