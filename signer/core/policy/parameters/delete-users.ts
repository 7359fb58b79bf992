import { list, reference } from "../language/types.ts"
import { ids, type ShownByType } from "./shown-parameters.ts"

export const parameters: ShownByType = {
  DELETE_USERS: {
    fields: { user_ids: list(reference("user-id")) },
    values: ({ userIds }) => ({ user_ids: ids(userIds) }),
  },
}
