import { requireUser } from "../organization/users.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { type ApiKeyParameters, addApiKeys } from "./shared/api-keys.ts"

export const createApiKeys: Activity<"createApiKeysIntent", "createApiKeysResult"> = { run }
export const createApiKeysV2: Activity<"createApiKeysIntentV2", "createApiKeysResult"> = { run }

function run(
  { userId, apiKeys }: { userId: string; apiKeys: readonly ApiKeyParameters[] },
  context: ActivityContext,
): { apiKeyIds: string[] } {
  const user = requireUser(context.organization, userId, "parameters.userId")
  return { apiKeyIds: addApiKeys(user, apiKeys, context, "parameters.apiKeys") }
}
