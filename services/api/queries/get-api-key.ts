import {
  type GetApiKeyRequest,
  GetApiKeyResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { apiKeyResource } from "../resources/credential.ts"
import type { Query } from "./shared/query.ts"
import { withSessions } from "../resources/user.ts"

/** One API key or session of any user. */
export const getApiKey: Query<GetApiKeyRequest> = async ({ apiKeyId }, context) => {
  const { organization } = context
  const users = await withSessions(organization.document.users, context)
  const found = users.flatMap(({ apiKeys }) => apiKeys).find((key) => key.apiKeyId === apiKeyId.toLowerCase())
  if (found === undefined) {
    throw notFound(`unable to find api key ${apiKeyId} in organization ${organization.id}`)
  }
  return jsonText(GetApiKeyResponseSchema, { apiKey: apiKeyResource(found) })
}
