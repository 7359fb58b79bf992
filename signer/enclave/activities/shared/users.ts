import type { AuthenticatorParamsV2 } from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { setTagsOfUser } from "../../organization/user-tags.ts"
import { addUser } from "../../organization/users.ts"
import type { ActivityContext } from "../activity.ts"
import { type ApiKeyParameters, addApiKeys } from "../create-api-keys.ts"
import { addAuthenticators } from "../create-authenticators.ts"
import { addOauthProviders, type OauthProviderParameters } from "../create-oauth-providers.ts"

/** A user as requests describe him, in any of their versions; root users have no tags. */
export type UserParameters = {
  userName: string
  userEmail?: string | undefined
  userPhoneNumber?: string | undefined
  apiKeys: readonly ApiKeyParameters[]
  authenticators?: readonly AuthenticatorParamsV2[]
  oauthProviders?: readonly OauthProviderParameters[]
  userTags?: readonly string[]
}

/**
 * Adds a user with all his credentials: the one way in which any activity does.
 *
 * @throws LIMIT_EXCEEDED, NAME_TAKEN, RESOURCE_UNKNOWN, and what the credentials' own functions throw
 */
export function bearUser(parameters: UserParameters, context: ActivityContext, at: string): User {
  const { userName: name, userEmail: email = "", userPhoneNumber: phoneNumber = "" } = parameters
  const user = addUser(context.organization, { userId: context.newId(), name, email, phoneNumber }, at)
  setTagsOfUser(context.organization, user, parameters.userTags ?? [], `${at}.userTags`)
  addApiKeys(user, parameters.apiKeys, context, `${at}.apiKeys`)
  addAuthenticators(user, parameters.authenticators ?? [], context, `${at}.authenticators`)
  addOauthProviders(user, parameters.oauthProviders ?? [], context, `${at}.oauthProviders`)
  return user
}
