import { type PlannedChange, type PlannedActivity, type PlanContext } from "./change.ts"
import { planAllowlists } from "./ip-allowlists.ts"
import { planEmailTemplates, planInterfaces, planSessionProfiles, planVelocityControls } from "./objects.ts"
import { planPolicies } from "./policies.ts"
import { planOauth2Credentials, planOnRampCredentials } from "./provider-credentials.ts"
import { planQuorum } from "./quorum.ts"
import { planFeatures, planName, planProxy, planWebhooks } from "./settings.ts"
import { mergeParts } from "./section.ts"
import { planPrivateKeyTags, planTags } from "./tags.ts"
import { planUsers } from "./users.ts"

export type Plan = {
  /** The activities in the order of sending. */
  activities: PlannedActivity[]
  /** Objects that only --prune deletes. */
  kept: string[]
  /** Differences that no activity removes. */
  byHand: string[]
}

/** Activities that make the organization as the file says. */
export function planOf(context: PlanContext): Plan {
  const { activities, kept, byHand } = mergeParts([
    planName(context),
    planTags(context),
    planPrivateKeyTags(context),
    planSessionProfiles(context),
    planVelocityControls(context),
    planInterfaces(context),
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
  ])
  return { activities: activities.toSorted((a, b) => a.stage - b.stage), kept, byHand }
}

export function changesOf({ activities }: Plan): PlannedChange[] {
  return activities.flatMap(({ changes }) => changes)
}
