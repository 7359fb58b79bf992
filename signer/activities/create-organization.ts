import { setRootQuorum } from "../organization/root-quorum.ts"
import { addUser } from "../organization/users.ts"
import type { Activity } from "./activity.ts"
import { addApiKeys } from "./create-api-keys.ts"

/** The first version of a top-level organization; its setup code was spent before this runs. */
export const createOrganization: Activity<"createOrganizationIntent", "createOrganizationResult"> = {
  run({ rootUser }, context) {
    const userId = context.newId()
    const at = "parameters.rootUser"
    const user = addUser(
      context.organization,
      { userId, name: rootUser?.userName ?? "", email: rootUser?.userEmail ?? "", phoneNumber: "" },
      at,
    )
    const apiKeyIds = addApiKeys(user, rootUser?.apiKeys ?? [], context, `${at}.apiKeys`)
    setRootQuorum(context.organization, 1, [userId], at)
    return { organizationId: context.organization.id, userId, apiKeyIds }
  },
}
