import { setFirstRootQuorum } from "../organization/root-quorum.ts"
import type { Activity } from "./activity.ts"
import { bearUser } from "./shared/users.ts"

/** The first version of a top-level organization; its setup code was spent before this runs. */
export const createOrganization: Activity<"createOrganizationIntent", "createOrganizationResult"> = {
  run({ rootUser }, context) {
    const at = "parameters.rootUser"
    const { userName = "", userEmail = "", apiKeys = [] } = rootUser ?? {}
    const { userId, apiKeys: held } = bearUser({ userName, userEmail, apiKeys }, context, at)
    const quorum = { threshold: 1, userIds: [userId] }
    setFirstRootQuorum(context.organization, quorum, { threshold: at, userIds: at })
    const apiKeyIds = held.map(({ apiKeyId }) => apiKeyId)
    return { organizationId: context.organization.id, userId, apiKeyIds }
  },
}
