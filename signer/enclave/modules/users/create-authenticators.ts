import { requireUser } from "../../organization/users.ts"
import type { LongActivity } from "../../activities/activity.ts"
import { addAuthenticators } from "../../activities/new-credentials.ts"

const needs = ["settings"] as const

export const createAuthenticatorsV2: LongActivity<"createAuthenticators", typeof needs, "V2"> = {
  needs,
  *run({ userId, authenticators }, context) {
    const user = requireUser(context.organization, userId, "parameters.userId")
    const field = "parameters.authenticators"
    return { authenticatorIds: yield* addAuthenticators(user, authenticators, context, field) }
  },
}
