import { setRootQuorum } from "./root-quorum.ts"
import type { LongActivity } from "../../activities/activity.ts"
import { createKeyUser } from "../../activities/new-users.ts"

/** The first version of a top-level organization; the caller has spent its setup code. */
export const createOrganization: LongActivity<"createOrganization"> = {
  *run({ rootUser }, context) {
    const field = "parameters.rootUser"
    const { userName = "", userEmail = "", apiKeys = [] } = rootUser ?? {}
    const user = yield* createKeyUser({ userName, userEmail, apiKeys }, context, field)
    const quorum = { threshold: 1, userIds: [user.userId] }
    setRootQuorum(context.organization, quorum, { threshold: field, userIds: field })
    const apiKeyIds = user.apiKeys.map(({ apiKeyId }) => apiKeyId)
    return { organizationId: context.organization.id, userId: user.userId, apiKeyIds }
  },
}
