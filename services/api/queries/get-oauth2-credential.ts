import {
  type GetOauth2CredentialRequest,
  GetOauth2CredentialResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { getRecord } from "../store/records.ts"
import { oauth2CredentialResource } from "../resources/oauth2-credential.ts"
import type { Query } from "./shared/query.ts"

export const getOauth2Credential: Query<GetOauth2CredentialRequest> = async (
  { oauth2CredentialId: id },
  { sql, organization },
) => {
  const row = await getRecord(sql, organization.id, RecordKind.OAUTH2_CREDENTIAL, id)
  if (row === undefined)
    throw notFound(`unable to find OAuth 2.0 credential ${id} in organization ${organization.id}`)
  return jsonText(GetOauth2CredentialResponseSchema, {
    oauth2Credential: oauth2CredentialResource(row),
  })
}
