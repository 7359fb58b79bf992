import { changeOnRampCredential, requireOnRampCredential } from "./on-ramp-credentials.ts"
import type { Activity } from "../../activities/activity.ts"
import { checkCredential, claimKeys, readCredential } from "./credentials.ts"

const needs = ["onRamp"] as const

/** The mode stays: keys of a provider's sandbox and of live purchases never replace each other. */
export const updateFiatOnRampCredential: Activity<"updateFiatOnRampCredential", typeof needs> = {
  needs,
  check: checkCredential,
  run({ fiatOnrampCredentialId, ...parameters }, context) {
    const before = requireOnRampCredential(context.organization.document, fiatOnrampCredentialId)
    const credential = readCredential(parameters, before)
    changeOnRampCredential(context.organization, credential)
    claimKeys(credential, context)
    return { fiatOnRampCredentialId: credential.credentialId }
  },
}
