import { listFeatures, setFeature } from "../organization/features.ts"
import type { Activity } from "./activity.ts"

export const setOrganizationFeature: Activity<"setOrganizationFeature"> = {
  run({ name, value }, { organization }) {
    setFeature(organization, name, value ?? "", "parameters")
    return { features: listFeatures(organization) }
  },
}
