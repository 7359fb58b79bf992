import { create } from "@bufbuild/protobuf"
import { InvitationStatus, TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type Invitation,
  InvitationSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { isSameContact } from "../../core/otp/same-contact.ts"
import { refuse } from "../../core/refusal.ts"
import { requireUniqueName } from "./checks.ts"
import type { Draft } from "./draft.ts"
import { isOpen, settle } from "./invitation-state.ts"
import { MAX_INVITATIONS } from "./limits.ts"
import { requireTags, setTagsOfUser } from "./tags.ts"
import { addUser, requireUser } from "./users.ts"

export type NewInvitation = Pick<
  Invitation,
  "invitationId" | "userName" | "email" | "tagIds" | "accessType" | "senderUserId"
>

/**
 * Adds an open invitation. Neither its name nor its address may be those of a user or of another open invitation. The person
 * who logs in with the address becomes this user, and no other.
 * @throws LIMIT_EXCEEDED, NAME_TAKEN, INVITATION_CONTACT_TAKEN, RESOURCE_UNKNOWN
 */
export function addInvitation(draft: Draft, added: NewInvitation, field: string): Invitation {
  const { users, invitations } = draft.document
  const open = invitations.filter(isOpen)
  if (open.length >= MAX_INVITATIONS)
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${MAX_INVITATIONS} open invitations`, {
      field,
    })
  requireUser(draft, added.senderUserId, `${field}.senderUserId`)
  const names = [...users, ...open.map(({ userName: name }) => ({ name }))]
  requireUniqueName(names, added.userName, "user name", `${field}.receiverUserName`)
  if ([...users, ...open].some(({ email }) => isSameContact(email, added.email))) {
    const sentence = "a user, or an open invitation, of the organization has this address: use another one"
    throw refuse("INVITATION_CONTACT_TAKEN", sentence, { field: `${field}.receiverUserEmail` })
  }
  const tags = requireTags(draft, TagType.USER, added.tagIds, `${field}.receiverUserTags`)
  const tagIds = tags.map(({ tagId }) => tagId)
  const status = InvitationStatus.CREATED
  const invitation = create(InvitationSchema, { ...added, tagIds, status, ...draft.created })
  invitations.push(invitation)
  draft.markChanged()
  return invitation
}

/** Withdraws an open invitation. @throws RESOURCE_UNKNOWN, INVITATION_SETTLED */
export function revokeInvitation(draft: Draft, id: string, field: string): void {
  const invitation = draft.document.invitations.find(({ invitationId }) => invitationId === id)
  if (invitation === undefined) {
    const sentence = `unable to find invitation ${id} in organization ${draft.id}`
    throw refuse("RESOURCE_UNKNOWN", sentence, { field })
  }
  if (!isOpen(invitation)) {
    const sentence = `invitation ${id} was accepted or withdrawn before`
    throw refuse("INVITATION_SETTLED", sentence, { field })
  }
  settle(draft, invitation, InvitationStatus.REVOKED)
}

/**
 * Makes the invited person a user, exactly as the invitation says. The caller has proof of the address.
 * @throws LIMIT_EXCEEDED, NAME_TAKEN
 */
export function acceptInvitation(draft: Draft, invitation: Invitation, userId: string, field: string): User {
  const { userName: name, email, accessType } = invitation
  settle(draft, invitation, InvitationStatus.ACCEPTED)
  const user = addUser(draft, { userId, name, email, phoneNumber: "" }, field)
  setTagsOfUser(draft, user, invitation.tagIds, field)
  return Object.assign(user, { emailVerified: true, accessType })
}
