import type { Activity } from "../../activities/activity.ts"
import { claimSecret, credentialName, encodeCredential, openCredential } from "./oauth2-credentials.ts"

const needs = ["clientSecret"] as const

export const updateOauth2Credential: Activity<"updateOauth2Credential", typeof needs> = {
  needs,
  run({ oauth2CredentialId, provider, clientId, encryptedClientSecret }, context) {
    const { record, credential: before } = openCredential(oauth2CredentialId, context)
    const credential = { provider, clientId, encryptedClientSecret }
    const [oldName, newName] = [credentialName(before), credentialName(credential)]
    if (oldName !== newName) {
      context.changes.releaseName("oauth2 credential", oldName)
      context.changes.takeName("oauth2 credential", newName, "parameters.clientId")
    }
    claimSecret(credential, context)
    const times = { createdAtMs: before.createdAtMs, updatedAtMs: BigInt(context.nowMs) }
    context.changes.changeRecord(record, encodeCredential({ ...credential, ...times }))
    return { oauth2CredentialId }
  },
}
