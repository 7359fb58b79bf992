import { revokeInvitation } from "../../organization/invitations.ts"
import type { Activity } from "../../activities/activity.ts"

/** Withdraws an invitation, which stays listed as revoked. The invited person gets no mail about it. */
export const deleteInvitation: Activity<"deleteInvitation"> = {
  run({ invitationId: id }, { organization }) {
    const invitationId = id.toLowerCase()
    revokeInvitation(organization, invitationId, "parameters.invitationId")
    return { invitationId }
  },
}
