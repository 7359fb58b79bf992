import { requireUser } from "../../organization/users.ts"
import type { ActivityContext, LongActivity } from "../../activities/activity.ts"
import { addApiKeys, type ApiKeyParameters } from "../../activities/new-credentials.ts"

export const createApiKeys: LongActivity<"createApiKeys"> = { run }
export const createApiKeysV2: LongActivity<"createApiKeys", [], "V2"> = { run }

function* run(
  { userId, apiKeys }: { userId: string; apiKeys: readonly ApiKeyParameters[] },
  context: ActivityContext,
) {
  const user = requireUser(context.organization, userId, "parameters.userId")
  return { apiKeyIds: yield* addApiKeys(user, apiKeys, context, "parameters.apiKeys") }
}
