import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Activity } from "../../activities/activity.ts"
import { credentialName, openCredential } from "./oauth2-credentials.ts"

export const deleteOauth2Credential: Activity<"deleteOauth2Credential"> = {
  run({ oauth2CredentialId }, context) {
    const { credential } = openCredential(oauth2CredentialId, context)
    context.changes.releaseName("oauth2 credential", credentialName(credential))
    context.changes.deleteRecord(RecordKind.OAUTH2_CREDENTIAL, oauth2CredentialId)
    return { oauth2CredentialId }
  },
}
