import {
  type ListOauth2CredentialsRequest,
  ListOauth2CredentialsResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { listAllRecords } from "../store/records.ts"
import { oauth2CredentialResource } from "../resources/oauth2-credential.ts"
import type { Query } from "./shared/query.ts"

/** All OAuth 2.0 credentials, oldest first. */
export const listOauth2Credentials: Query<ListOauth2CredentialsRequest> = async (
  _request,
  { sql, organization },
) => {
  const rows = await listAllRecords(sql, organization.id, RecordKind.OAUTH2_CREDENTIAL)
  return jsonText(ListOauth2CredentialsResponseSchema, {
    oauth2Credentials: rows.map(oauth2CredentialResource),
  })
}
