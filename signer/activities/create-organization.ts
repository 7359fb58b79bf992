import { setRootQuorum } from "../organization/root-quorum.ts"
import type { Activity } from "./activity.ts"
import { bearUser } from "./bear-user.ts"

/** The first version of a top-level organization; its setup code was spent before this runs. */
export const createOrganization: Activity<"createOrganizationIntent", "createOrganizationResult"> = {
  run({ rootUser }, context) {
    const at = "parameters.rootUser"
    const { userName = "", userEmail = "", apiKeys = [] } = rootUser ?? {}
    const { userId, apiKeys: held } = bearUser({ userName, userEmail, apiKeys }, context, at)
    setRootQuorum(context.organization, 1, [userId], { threshold: at, userIds: at })
    const apiKeyIds = held.map(({ apiKeyId }) => apiKeyId)
    return { organizationId: context.organization.id, userId, apiKeyIds }
  },
}
