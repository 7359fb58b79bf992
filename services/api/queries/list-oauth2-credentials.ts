import type { ListOauth2CredentialsRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { Oauth2CredentialSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { oauth2CredentialResource } from "../resources/oauth2-credential.ts"
import type { RecordRow } from "../store/records.ts"
import { AnswerSize } from "./shared/answer-size.ts"
import type { Query } from "./shared/query.ts"
import { recordsText } from "./shared/records-text.ts"

/** All OAuth 2.0 credentials, oldest first. */
export const listOauth2Credentials: Query<ListOauth2CredentialsRequest> = async (_request, context) => {
  const size = new AnswerSize("get_oauth2_credential with the id of one credential")
  return `{"oauth2Credentials":[${await recordsText(RecordKind.OAUTH2_CREDENTIAL, textOf, context, size)}]}`
}

function textOf(row: RecordRow): string {
  return jsonText(Oauth2CredentialSchema, oauth2CredentialResource(row))
}
