import { requireUser } from "../../organization/users.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import { addOauthProviders, type OauthProviderParameters } from "../../activities/new-credentials.ts"
import { requireLinkedUser } from "../../activities/linked-identity.ts"

const needs = ["issuer", "settings"] as const

export const createOauthProviders: Activity<"createOauthProviders", typeof needs> = { needs, run }
export const createOauthProvidersV2: Activity<"createOauthProviders", typeof needs, "V2", "V2"> = {
  needs,
  run,
}

/**
 * Adds identities to a user. A user of the parent may add one to a user whose e-mail address it proves.
 * @throws RESOURCE_UNKNOWN, the codes of requireLinkedUser and of addOauthProviders
 */
function run(
  { userId, oauthProviders }: { userId: string; oauthProviders: readonly OauthProviderParameters[] },
  context: ActivityContext<typeof needs>,
) {
  const user = context.isByParent
    ? requireLinkedUser({ userId, oauthProviders }, context)
    : requireUser(context.organization, userId, "parameters.userId")
  return { providerIds: addOauthProviders(user, oauthProviders, context, "parameters.oauthProviders") }
}
