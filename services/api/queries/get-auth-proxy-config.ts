import {
  type GetAuthProxyConfigRequest,
  GetAuthProxyConfigResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { withDefaults } from "../../../signer/core/auth-proxy/settings.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import type { Query } from "./shared/query.ts"

/** The configuration of the organization's auth proxy, with the defaults of what was not set. */
export const getAuthProxyConfig: Query<GetAuthProxyConfigRequest> = (_request, { organization }) => {
  const { authProxy } = organization.document
  if (authProxy === undefined)
    throw notFound(`organization ${organization.id} has no auth proxy; enable_auth_proxy makes one`)
  const { configId, userId, publicKey, settings } = authProxy
  const enabled = publicKey !== ""
  const authProxyConfig = {
    configId,
    userId,
    enabled,
    ...(enabled && { publicKey }),
    settings: withDefaults(settings),
  }
  return jsonText(GetAuthProxyConfigResponseSchema, { authProxyConfig })
}
