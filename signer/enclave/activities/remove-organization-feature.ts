import { listFeatures, removeFeature } from "../organization/features.ts"
import type { Activity } from "./activity.ts"

export const removeOrganizationFeature: Activity<"removeOrganizationFeature"> = {
  run({ name }, { organization }) {
    removeFeature(organization, name)
    return { features: listFeatures(organization) }
  },
}
