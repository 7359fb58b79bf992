import { requireUser } from "../organization/users.ts"
import type { LongActivity } from "./activity.ts"
import { addAuthenticators } from "./shared/credentials.ts"

const needs = ["settings"] as const

export const createAuthenticatorsV2: LongActivity<"createAuthenticators", typeof needs, "V2"> = {
  needs,
  *run({ userId, authenticators }, context) {
    const user = requireUser(context.organization, userId, "parameters.userId")
    const field = "parameters.authenticators"
    return { authenticatorIds: yield* addAuthenticators(user, authenticators, context, field) }
  },
}
