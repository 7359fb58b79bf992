import { readTerms, requireTransfers } from "../../../core/modules/policies/velocity/control.ts"
import { requireIdentifier } from "../../../core/modules/policies/velocity/identifier.ts"
import { addVelocityControl } from "../../organization/velocity-controls.ts"
import type { Activity } from "../../activities/activity.ts"

/** A control counts from its creation on. */
export const createVelocityControl: Activity<"createVelocityControl"> = {
  check({ identifier, ...terms }) {
    requireIdentifier(identifier, "parameters.identifier")
    readTerms(terms, "parameters")
    requireTransfers(terms, "parameters")
  },
  run({ name, identifier, dataSource, aggregation }, { organization, newId }) {
    const velocityControlId = newId()
    const terms = { ...(dataSource && { dataSource }), ...(aggregation && { aggregation }) }
    addVelocityControl(organization, { velocityControlId, name, identifier, ...terms }, "parameters")
    return { velocityControlId }
  },
}
