import {
  type GetApiKeysRequest,
  GetApiKeysResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { apiKeyResource } from "../resources/credential.ts"
import type { Query } from "./shared/query.ts"
import { requireUser, withSessions } from "../resources/user.ts"

/** The API keys and sessions of one user, or of all. */
export const getApiKeys: Query<GetApiKeysRequest> = async ({ userId }, context) => {
  const { organization } = context
  const users = userId === undefined ? organization.document.users : [requireUser(organization, userId)]
  const keys = (await withSessions(users, context)).flatMap(({ apiKeys }) => apiKeys)
  return jsonText(GetApiKeysResponseSchema, { apiKeys: keys.map(apiKeyResource) })
}
