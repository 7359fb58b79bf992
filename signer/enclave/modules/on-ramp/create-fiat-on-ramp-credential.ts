import { addOnRampCredential } from "./on-ramp-credentials.ts"
import type { Activity } from "../../activities/activity.ts"
import { checkCredential, claimKeys, readCredential } from "./credentials.ts"

const needs = ["onRamp"] as const

export const createFiatOnRampCredential: Activity<"createFiatOnRampCredential", typeof needs> = {
  needs,
  check: checkCredential,
  run({ sandboxMode: sandbox = false, ...parameters }, context) {
    const fiatOnRampCredentialId = context.newId()
    const credential = readCredential(parameters, { credentialId: fiatOnRampCredentialId, sandbox })
    addOnRampCredential(context.organization, credential)
    claimKeys(credential, context)
    return { fiatOnRampCredentialId }
  },
}
