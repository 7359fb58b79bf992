import { requireUser } from "../organization/users.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { addApiKeys, type ApiKeyParameters } from "./shared/credentials.ts"

export const createApiKeys: Activity<"createApiKeys"> = { run }
export const createApiKeysV2: Activity<"createApiKeys", "V2"> = { run }

function run(
  { userId, apiKeys }: { userId: string; apiKeys: readonly ApiKeyParameters[] },
  context: ActivityContext,
) {
  const user = requireUser(context.organization, userId, "parameters.userId")
  return { apiKeyIds: addApiKeys(user, apiKeys, context, "parameters.apiKeys") }
}
