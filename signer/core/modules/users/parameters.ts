import { list, reference, string } from "../../policy/language/types.ts"
import { id, ids, type ShownByType, type ShownParameters } from "../../policy/parameters/shown-parameters.ts"

const createApiKeys: ShownParameters = {
  fields: { user_id: reference("user-id") },
  values: ({ userId }) => ({ user_id: id(userId) }),
}

export const parameters: ShownByType = {
  CREATE_API_KEYS: createApiKeys,
  CREATE_API_KEYS_V2: createApiKeys,
  DELETE_API_KEYS: {
    fields: { user_id: reference("user-id"), api_key_ids: list(string) },
    values: ({ userId, apiKeyIds }) => ({ user_id: id(userId), api_key_ids: ids(apiKeyIds) }),
  },
  DELETE_USERS: {
    fields: { user_ids: list(reference("user-id")) },
    values: ({ userIds }) => ({ user_ids: ids(userIds) }),
  },
}
