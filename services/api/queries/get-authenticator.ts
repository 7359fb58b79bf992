import {
  type GetAuthenticatorRequest,
  GetAuthenticatorResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { authenticatorResource } from "../resources/credential.ts"
import type { Query } from "./shared/query.ts"

/** One passkey of any user. */
export const getAuthenticator: Query<GetAuthenticatorRequest> = ({ authenticatorId }, { organization }) => {
  const id = authenticatorId.toLowerCase()
  const found = organization.document.users
    .flatMap(({ authenticators }) => authenticators)
    .find((authenticator) => authenticator.authenticatorId === id)
  if (found === undefined)
    throw notFound(`webauthn authenticator not found in organization: ${authenticatorId}`)
  return jsonText(GetAuthenticatorResponseSchema, { authenticator: authenticatorResource(found) })
}
