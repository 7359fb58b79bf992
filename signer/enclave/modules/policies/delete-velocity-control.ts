import { removeVelocityControl } from "../../organization/velocity-controls.ts"
import type { LongActivity } from "../../activities/activity.ts"

const FIELD = "parameters.velocityControlId"

export const deleteVelocityControl: LongActivity<"deleteVelocityControl"> = {
  *run({ velocityControlId: id }, { organization, changes }) {
    const { velocityControlId } = removeVelocityControl(organization, id, FIELD)
    yield* changes.counters.removeAll(velocityControlId)
    return { velocityControlId }
  },
}
