import { fromBinary } from "@bufbuild/protobuf"
import {
  Oauth2CredentialRecordSchema,
  RecordKind,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Activity } from "./activity.ts"
import { credentialName } from "./shared/oauth2-credentials.ts"

export const deleteOauth2Credential: Activity<
  "deleteOauth2CredentialIntent",
  "deleteOauth2CredentialResult"
> = {
  run({ oauth2CredentialId }, context) {
    const record = context.record(
      RecordKind.OAUTH2_CREDENTIAL,
      oauth2CredentialId,
      "parameters.oauth2CredentialId",
    )
    const credential = fromBinary(Oauth2CredentialRecordSchema, record.payload)
    context.changes.releaseName("oauth2 credential", credentialName(credential))
    context.changes.deleteRecord(RecordKind.OAUTH2_CREDENTIAL, oauth2CredentialId)
    return { oauth2CredentialId }
  },
}
