import type { Activity } from "./activity.ts"
import { addApiKeys } from "./create-api-keys.ts"

/** The first version of a top-level organization; its setup code was spent before this runs. */
export const createOrganization: Activity<"createOrganizationIntent", "createOrganizationResult"> = {
  run({ rootUser }, context) {
    const userId = context.newId()
    const at = "parameters.rootUser"
    const user = context.organization.addUser(
      { userId, name: rootUser?.userName ?? "", email: rootUser?.userEmail ?? "", phoneNumber: "" },
      at,
    )
    const apiKeyIds = addApiKeys(user, rootUser?.apiKeys ?? [], context, `${at}.apiKeys`)
    context.organization.setRootQuorum(1, [userId], at)
    return { organizationId: context.organization.id, userId, apiKeyIds }
  },
}
