import { requireUser } from "../organization/users.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { addOauthProviders, type OauthProviderParameters } from "./shared/credentials.ts"

export const createOauthProviders: Activity<"createOauthProviders"> = { run }
export const createOauthProvidersV2: Activity<"createOauthProviders", "V2", "V2"> = { run }

function run(
  { userId, oauthProviders }: { userId: string; oauthProviders: readonly OauthProviderParameters[] },
  context: ActivityContext,
) {
  const user = requireUser(context.organization, userId, "parameters.userId")
  return { providerIds: addOauthProviders(user, oauthProviders, context, "parameters.oauthProviders") }
}
