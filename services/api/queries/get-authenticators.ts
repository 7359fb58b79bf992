import {
  type GetAuthenticatorsRequest,
  GetAuthenticatorsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { authenticatorResource } from "../resources/credential.ts"
import type { Query } from "./shared/query.ts"
import { requireUser } from "../resources/user.ts"

/** The passkeys of one user. */
export const getAuthenticators: Query<GetAuthenticatorsRequest> = ({ userId }, { organization }) =>
  jsonText(GetAuthenticatorsResponseSchema, {
    authenticators: requireUser(organization, userId).authenticators.map(authenticatorResource),
  })
