import {
  type GetApiKeyRequest,
  GetApiKeyResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../json-text.ts"
import { apiKeyResource } from "../resources.ts"
import type { Query } from "./query.ts"

/** One API key, whichever user holds it. */
export const getApiKey: Query<GetApiKeyRequest> = ({ apiKeyId }, { organization }) => {
  const keys = organization.document.users.flatMap((user) => user.apiKeys)
  const found = keys.find((key) => key.apiKeyId === apiKeyId.toLowerCase())
  if (found === undefined) {
    throw notFound(`unable to find api key ${apiKeyId} in organization ${organization.id}`)
  }
  return jsonText(GetApiKeyResponseSchema, { apiKey: apiKeyResource(found) })
}
