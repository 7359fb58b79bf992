import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Activity } from "../../activities/activity.ts"
import { claimSecret, credentialName, encodeCredential } from "./oauth2-credentials.ts"

const needs = ["clientSecret"] as const

export const createOauth2Credential: Activity<"createOauth2Credential", typeof needs> = {
  needs,
  run({ provider, clientId, encryptedClientSecret }, context) {
    const credential = { provider, clientId, encryptedClientSecret }
    context.changes.takeName("oauth2 credential", credentialName(credential), "parameters.clientId")
    claimSecret(credential, context)
    const createdAtMs = BigInt(context.nowMs)
    const payload = encodeCredential({ ...credential, createdAtMs, updatedAtMs: createdAtMs })
    const oauth2CredentialId = context.newId()
    context.changes.addRecord({ kind: RecordKind.OAUTH2_CREDENTIAL, id: oauth2CredentialId, payload })
    return { oauth2CredentialId }
  },
}
