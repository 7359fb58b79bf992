import { addUser } from "../organization/users.ts"
import { refuse } from "../refusal.ts"
import { type ApiKeyParameters, addApiKeys } from "./create-api-keys.ts"
import type { Activity, ActivityContext } from "./activity.ts"

/** A user as the requests describe him, in any of their versions. */
type UserParameters = {
  userName: string
  userEmail?: string | undefined
  userPhoneNumber?: string | undefined
  apiKeys: readonly ApiKeyParameters[]
  authenticators: readonly unknown[]
  oauthProviders: readonly unknown[]
  userTags: readonly string[]
}

export const createUsersV3: Activity<"createUsersIntentV3", "createUsersResult"> = {
  run: ({ users }, context) => ({ userIds: users.map((user, index) => createUser(user, context, index)) }),
}

export const createUsersV4: Activity<"createUsersIntentV4", "createUsersResult"> = {
  run: ({ users }, context) => ({ userIds: users.map((user, index) => createUser(user, context, index)) }),
}

function createUser(parameters: UserParameters, context: ActivityContext, index: number): string {
  const at = `parameters.users[${index}]`
  requireCheckable(parameters.authenticators, `${at}.authenticators`)
  requireCheckable(parameters.oauthProviders, `${at}.oauthProviders`)
  const tagId = parameters.userTags[0]
  if (tagId !== undefined) {
    throw refuse("RESOURCE_UNKNOWN", `unable to find user tag ${tagId}`, { field: `${at}.userTags[0]` })
  }
  const userId = context.newId()
  const user = addUser(
    context.organization,
    {
      userId,
      name: parameters.userName,
      email: parameters.userEmail ?? "",
      phoneNumber: parameters.userPhoneNumber ?? "",
    },
    at,
  )
  addApiKeys(user, parameters.apiKeys, context, `${at}.apiKeys`)
  return userId
}

/** A credential whose evidence nothing here can check must not be stored. */
function requireCheckable(credentials: readonly unknown[], field: string): void {
  if (credentials.length === 0) return
  throw refuse(
    "EVIDENCE_NOT_SERVED",
    "passkeys and OAuth providers cannot be checked by this release; send an empty list",
    {
      field,
    },
  )
}
