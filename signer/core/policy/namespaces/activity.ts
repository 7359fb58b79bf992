import { type Fields, reference, struct, type Type } from "../language/types.ts"
import { paramsByActivity } from "./activity-params.ts"

/**
 * `activity`, of every request. `type` is one version of an activity, `kind` all its versions. `params` has every
 * field that any activity shows; a request has those of its own type (`paramsOf`), to read another is a fault.
 */
export const activity = struct("Activity", {
  type: reference("activity-type"),
  kind: reference("activity-kind"),
  resource: reference("resource"),
  action: reference("action"),
  params: struct("ActivityParams", merged(Object.values(paramsByActivity)), { partial: true }),
})

/** Fields of the same name have the same type in every activity. */
function merged(all: readonly Fields[]): Fields {
  const fields = new Map<string, Type>()
  for (const [name, type] of all.flatMap((one) => Object.entries(one))) {
    const known = fields.get(name)
    if (known !== undefined && known.kind !== type.kind)
      throw new Error(`two types of activity.params.${name}`)
    fields.set(name, type)
  }
  return Object.fromEntries(fields)
}
