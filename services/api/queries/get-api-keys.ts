import {
  type GetApiKeysRequest,
  GetApiKeysResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../json-text.ts"
import { apiKeyResource } from "../resources.ts"
import type { Query } from "./query.ts"
import { requireUser } from "./users.ts"

/** The API keys of one user, or of all. */
export const getApiKeys: Query<GetApiKeysRequest> = ({ userId }, { organization }) => {
  const users = userId === undefined ? organization.document.users : [requireUser(organization, userId)]
  return jsonText(GetApiKeysResponseSchema, {
    apiKeys: users.flatMap((user) => user.apiKeys.map(apiKeyResource)),
  })
}
