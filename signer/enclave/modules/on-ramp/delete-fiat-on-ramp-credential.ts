import { removeOnRampCredential, requireOnRampCredential } from "./on-ramp-credentials.ts"
import type { Activity } from "../../activities/activity.ts"

export const deleteFiatOnRampCredential: Activity<"deleteFiatOnRampCredential"> = {
  run({ fiatOnrampCredentialId }, { organization }) {
    const { credentialId } = requireOnRampCredential(organization.document, fiatOnrampCredentialId)
    removeOnRampCredential(organization, credentialId)
    return { fiatOnRampCredentialId: credentialId }
  },
}
