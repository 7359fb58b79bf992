import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { AuthenticatorParamsV2 } from "../../../proto/gen/countersign/api/v1/params_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Steps } from "../../core/turns/steps.ts"
import { setTagsOfUser } from "../organization/tags.ts"
import { addUser, renameUser, requireUser, setEmail, setPhoneNumber } from "../organization/users.ts"
import type { ActivityContext } from "./activity.ts"
import type { ApiKeyParameters, OauthProviderParameters } from "./new-credentials.ts"
import { addApiKeys, addAuthenticators, addOauthProviders } from "./new-credentials.ts"
import { otherContact, readVerificationToken, verifyContact } from "./verified-contact.ts"

const EMAIL_FIELD = "parameters.userEmail"
const PHONE_NUMBER_FIELD = "parameters.userPhoneNumber"

/** A user as requests of any version describe it; root users have no tags. */
export type UserParameters = {
  userName: string
  userEmail?: string | undefined
  userPhoneNumber?: string | undefined
  apiKeys: readonly ApiKeyParameters[]
  authenticators?: readonly AuthenticatorParamsV2[]
  oauthProviders?: readonly OauthProviderParameters[]
  userTags?: readonly string[]
}

/** Absent members stay unchanged. An empty list of tags counts as absent: protobuf does not distinguish them. */
type UserChange = {
  userId: string
  userName?: string | undefined
  userEmail?: string | undefined
  userPhoneNumber?: string | undefined
  userTagIds?: readonly string[]
}

/** @throws RESOURCE_UNKNOWN, NAME_TAKEN, LAST_CREDENTIAL */
export function changeUser(change: UserChange, { organization }: ActivityContext) {
  const { userId, userName, userEmail, userPhoneNumber, userTagIds = [] } = change
  const user = requireUser(organization, userId, "parameters.userId")
  if (userName !== undefined) renameUser(organization, user, userName, "parameters.userName")
  if (userEmail !== undefined) setEmail(organization, user, userEmail, EMAIL_FIELD)
  if (userPhoneNumber !== undefined) setPhoneNumber(organization, user, userPhoneNumber, PHONE_NUMBER_FIELD)
  if (userTagIds.length > 0) setTagsOfUser(organization, user, userTagIds, "parameters.userTagIds")
  return { userId }
}

/** One contact. A token verifies the new one. */
type ContactChange = Pick<UserChange, "userId" | "userEmail" | "userPhoneNumber"> & {
  verificationToken?: string | undefined
}

/** @throws VERIFICATION_TOKEN_CONTACT_WRONG, VERIFICATION_TOKEN_USED, the codes of changeUser and of readVerificationToken */
export function changeContact(
  { verificationToken, ...change }: ContactChange,
  context: ActivityContext<["settings", "verification"]>,
) {
  const changed = changeUser(change, context)
  if (verificationToken === undefined) return changed
  const token = readVerificationToken(verificationToken, context)
  const isMail = token.channel === OtpType.EMAIL
  const at = change.userEmail === undefined ? PHONE_NUMBER_FIELD : EMAIL_FIELD
  if (isMail !== (change.userEmail !== undefined)) throw otherContact(at)
  verifyContact(requireUser(context.organization, change.userId, "parameters.userId"), token, at, context)
  return changed
}

/** Creates users; returns them in order. @throws the codes of `createUser` */
export function* createUsers(
  users: readonly UserParameters[],
  context: ActivityContext<["issuer", "settings"]>,
  field: string,
): Steps<User[]> {
  const created: User[] = []
  for (const [index, user] of users.entries())
    created.push(yield* createUser(user, context, `${field}[${index}]`))
  return created
}

/** Creates a user with all credentials. @throws the codes of createKeyUser and of credentials.ts */
function* createUser(
  parameters: UserParameters,
  context: ActivityContext<["issuer", "settings"]>,
  field: string,
): Steps<User> {
  const user = yield* createKeyUser(parameters, context, field)
  yield* addAuthenticators(user, parameters.authenticators ?? [], context, `${field}.authenticators`)
  addOauthProviders(user, parameters.oauthProviders ?? [], context, `${field}.oauthProviders`)
  return user
}

/** Creates a user with API keys alone. @throws LIMIT_EXCEEDED, NAME_TAKEN, RESOURCE_UNKNOWN, the codes of addApiKeys */
export function* createKeyUser(
  parameters: Omit<UserParameters, "authenticators" | "oauthProviders">,
  context: ActivityContext,
  field: string,
): Steps<User> {
  const { userName: name, userEmail: email = "", userPhoneNumber: phoneNumber = "" } = parameters
  const user = addUser(context.organization, { userId: context.newId(), name, email, phoneNumber }, field)
  setTagsOfUser(context.organization, user, parameters.userTags ?? [], `${field}.userTags`)
  yield* addApiKeys(user, parameters.apiKeys, context, `${field}.apiKeys`)
  return user
}

export function idsOf(users: readonly User[]): string[] {
  return users.map(({ userId }) => userId)
}
