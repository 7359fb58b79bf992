import type { LongActivity } from "./activity.ts"
import { createUsers, idsOf } from "./shared/users.ts"

const needs = ["issuer", "settings"] as const

/** An older form of create_users for users with P-256 keys only; published clients still send it. */
export const createApiOnlyUsers: LongActivity<"createApiOnlyUsers", typeof needs> = {
  needs,
  *run({ apiOnlyUsers }, context) {
    return { userIds: idsOf(yield* createUsers(apiOnlyUsers, context, "parameters.apiOnlyUsers")) }
  },
}
