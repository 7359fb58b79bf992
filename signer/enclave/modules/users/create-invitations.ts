import { create } from "@bufbuild/protobuf"
import { OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { InvitedPersonSchema } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { addInvitation } from "../../organization/invitations.ts"
import type { Activity } from "../../activities/activity.ts"
import { requireChannel } from "../../activities/code-switches.ts"

const needs = ["invitation"] as const

/**
 * Adds invitations to the document and has the fetcher mail them. A mail proves nothing: the invited person logs in with a
 * one-time code to the invited address, so codes by mail must be on.
 */
export const createInvitations: Activity<"createInvitations", typeof needs> = {
  needs,
  run({ invitations }, context) {
    const { organization, invitation: mails, newId } = context
    requireChannel(OtpType.EMAIL, context, "type")
    const added = invitations.map((invitation, index) => {
      const {
        receiverUserName: userName,
        receiverUserEmail: email,
        receiverUserTags,
        accessType,
      } = invitation
      const [tagIds, senderUserId] = [receiverUserTags, invitation.senderUserId]
      const invited = { invitationId: newId(), userName, email, tagIds, accessType, senderUserId }
      return addInvitation(organization, invited, `parameters.invitations[${index}]`)
    })
    mails.send({
      organizationName: organization.document.name,
      invited: added.map(({ email, userName }) => create(InvitedPersonSchema, { email, userName })),
    })
    return { invitationIds: added.map(({ invitationId }) => invitationId) }
  },
}
