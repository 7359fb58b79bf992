import { fromBinary } from "@bufbuild/protobuf"
import {
  Oauth2CredentialRecordSchema,
  RecordKind,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Activity } from "./activity.ts"
import { credentialName, requireOwnSecret, encodeCredential } from "./shared/oauth2-credentials.ts"

export const updateOauth2Credential: Activity<
  "updateOauth2CredentialIntent",
  "updateOauth2CredentialResult"
> = {
  run({ oauth2CredentialId, provider, clientId, encryptedClientSecret }, context) {
    const record = context.record(
      RecordKind.OAUTH2_CREDENTIAL,
      oauth2CredentialId,
      "parameters.oauth2CredentialId",
    )
    const before = fromBinary(Oauth2CredentialRecordSchema, record.payload)
    const credential = { provider, clientId, encryptedClientSecret }
    const [oldName, newName] = [credentialName(before), credentialName(credential)]
    if (oldName !== newName) {
      context.changes.releaseName("oauth2 credential", oldName)
      context.changes.takeName("oauth2 credential", newName, "parameters.clientId")
    }
    requireOwnSecret(credential, context)
    const times = { createdAtMs: before.createdAtMs, updatedAtMs: BigInt(context.nowMs) }
    context.changes.changeRecord(record, encodeCredential({ ...credential, ...times }))
    return { oauth2CredentialId }
  },
}
