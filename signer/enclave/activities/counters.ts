import type { ActivityContext } from "./activity.ts"

/** Removes the counters of velocity controls that belong to deleted users, or to deleted wallets and private keys. */
export function removeCountersOf(
  groupBy: "user" | "wallet",
  ids: readonly string[],
  { organization, changes }: ActivityContext,
): void {
  const controls = organization.document.velocityControls.filter(
    ({ aggregation }) => aggregation?.groupBy?.definition.case === groupBy,
  )
  for (const { velocityControlId } of controls)
    for (const id of ids) changes.counters.remove(velocityControlId, id)
}
