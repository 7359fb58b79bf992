import { type Change, type Order, type Part, type PlanContext } from "./change.ts"
import { planObjects } from "./objects.ts"
import { planPolicies } from "./policies.ts"
import { planQuorum } from "./quorum.ts"
import { planFeatures, planName, planProxy, planWebhooks } from "./settings.ts"
import { planTags } from "./tags.ts"
import { planUsers } from "./users.ts"

export type Plan = {
  /** In the order of sending. */
  orders: Order[]
  /** Objects that only --prune deletes. */
  kept: string[]
  /** Differences that no activity removes. */
  byHand: string[]
}

/** What has to be done so that the organization is as the file says. */
export function planOf(context: PlanContext): Plan {
  const parts: Part[] = [
    planName(context),
    planTags(context),
    planObjects(context),
    planUsers(context),
    planPolicies(context),
    planWebhooks(context),
    planFeatures(context),
    planProxy(context),
    planQuorum(context),
  ]
  return {
    orders: parts.flatMap(({ orders }) => orders).toSorted((a, b) => a.stage - b.stage),
    kept: parts.flatMap(({ kept = [] }) => kept),
    byHand: parts.flatMap(({ byHand = [] }) => byHand),
  }
}

export function changesOf({ orders }: Plan): Change[] {
  return orders.flatMap(({ changes }) => changes)
}
