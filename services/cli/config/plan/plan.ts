import { type Change, type PlannedActivity, type Part, type PlanContext } from "./change.ts"
import { planEmailTemplates } from "./email-templates.ts"
import { planAllowlists } from "./ip-allowlists.ts"
import { planOauth2Credentials } from "./oauth2-credentials.ts"
import { planOnRampCredentials } from "./on-ramp-credentials.ts"
import { planObjects } from "./objects.ts"
import { planPolicies } from "./policies.ts"
import { planPrivateKeyTags } from "./private-key-tags.ts"
import { planQuorum } from "./quorum.ts"
import { planFeatures, planName, planProxy, planWebhooks } from "./settings.ts"
import { planTags } from "./tags.ts"
import { planUsers } from "./users.ts"

export type Plan = {
  /** In the order of sending. */
  activities: PlannedActivity[]
  /** Objects that only --prune deletes. */
  kept: string[]
  /** Differences that no activity removes. */
  byHand: string[]
}

/** Activities that make the organization as the file says. */
export function planOf(context: PlanContext): Plan {
  const parts: Part[] = [
    planName(context),
    planTags(context),
    planPrivateKeyTags(context),
    planObjects(context),
    planUsers(context),
    planPolicies(context),
    planWebhooks(context),
    planFeatures(context),
    planEmailTemplates(context),
    planOauth2Credentials(context),
    planOnRampCredentials(context),
    planProxy(context),
    planAllowlists(context),
    planQuorum(context),
  ]
  return {
    activities: parts.flatMap(({ activities }) => activities).toSorted((a, b) => a.stage - b.stage),
    kept: parts.flatMap(({ kept = [] }) => kept),
    byHand: parts.flatMap(({ byHand = [] }) => byHand),
  }
}

export function changesOf({ activities }: Plan): Change[] {
  return activities.flatMap(({ changes }) => changes)
}
