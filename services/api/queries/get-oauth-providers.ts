import {
  type GetOauthProvidersRequest,
  GetOauthProvidersResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { oauthProviderResource } from "../resources/credential.ts"
import type { Query } from "./shared/query.ts"
import { requireUser } from "../resources/user.ts"

/** The identities at OIDC issuers of one user, or of all. */
export const getOauthProviders: Query<GetOauthProvidersRequest> = ({ userId }, { organization }) => {
  const users = userId === undefined ? organization.document.users : [requireUser(organization, userId)]
  return jsonText(GetOauthProvidersResponseSchema, {
    oauthProviders: users.flatMap((user) => user.oauthProviders.map(oauthProviderResource)),
  })
}
