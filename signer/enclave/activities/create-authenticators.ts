import { requireUser } from "../organization/users.ts"
import type { LongActivity } from "./activity.ts"
import { addAuthenticators } from "./shared/credentials.ts"

export const createAuthenticatorsV2: LongActivity<"createAuthenticators", "V2"> = {
  *run({ userId, authenticators }, context) {
    const user = requireUser(context.organization, userId, "parameters.userId")
    const field = "parameters.authenticators"
    return { authenticatorIds: yield* addAuthenticators(user, authenticators, context, field) }
  },
}
