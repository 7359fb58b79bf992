import {
  type ListFiatOnRampCredentialsRequest,
  ListFiatOnRampCredentialsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { fiatOnRampCredentialResource } from "../resources/fiat-on-ramp-credential.ts"
import { jsonText } from "../resources/json-text.ts"
import { governingDocument } from "../resources/governing-document.ts"
import type { Query } from "./shared/query.ts"

/** All credentials that purchases of the organization use, oldest first: its own, or its parent's. */
export const listFiatOnRampCredentials: Query<ListFiatOnRampCredentialsRequest> = async (
  _request,
  context,
) => {
  const document = await governingDocument(context)
  const credentials = document?.onRampCredentials ?? []
  return jsonText(ListFiatOnRampCredentialsResponseSchema, {
    fiatOnRampCredentials: credentials.map((credential) =>
      fiatOnRampCredentialResource(credential, document?.organizationId ?? ""),
    ),
  })
}
