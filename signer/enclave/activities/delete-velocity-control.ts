import { removeVelocityControl } from "../organization/velocity-controls.ts"
import type { Activity } from "./activity.ts"

const FIELD = "parameters.velocityControlId"

export const deleteVelocityControl: Activity<"deleteVelocityControl"> = {
  run({ velocityControlId }, { organization }) {
    const removed = removeVelocityControl(organization, velocityControlId, FIELD)
    return { velocityControlId: removed.velocityControlId }
  },
}
