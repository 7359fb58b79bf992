import { reference, struct } from "../language/types.ts"
import { parametersByType } from "../parameters/index.ts"

const fields = Object.values(parametersByType).map((shown) => shown.fields)

/**
 * `activity`, of every request. `type` is one version of an activity, `kind` all its versions. `params` has the fields
 * of all activities; a request has those of its own type, and reading another is a fault. A field has the same type in
 * every activity.
 */
export const activity = struct("Activity", {
  type: reference("activity-type"),
  kind: reference("activity-kind"),
  resource: reference("resource"),
  action: reference("action"),
  params: struct("ActivityParams", Object.assign({}, ...fields), { partial: true }),
})
