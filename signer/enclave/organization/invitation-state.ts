import { InvitationStatus } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Invitation } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { isSameContact } from "../../core/otp/same-contact.ts"
import type { Draft } from "./draft.ts"
import { MAX_INVITATIONS } from "./limits.ts"

/** True for an invitation that was neither accepted nor withdrawn. */
export function isOpen({ status }: Invitation): boolean {
  return status === InvitationStatus.CREATED
}

/** The open invitation to an address. */
export function findOpenInvitation({ document }: Draft, email: string): Invitation | undefined {
  return document.invitations.find((one) => isOpen(one) && isSameContact(one.email, email))
}

/** Ends an invitation; the oldest of too many ended ones leaves the document. */
export function settle(draft: Draft, invitation: Invitation, status: InvitationStatus): void {
  const { document } = draft
  invitation.status = status
  draft.touch(invitation)
  const settled = document.invitations.filter((one) => !isOpen(one))
  if (settled.length <= MAX_INVITATIONS) return
  const oldest = settled.reduce((a, b) => (b.updatedAtMs < a.updatedAtMs ? b : a))
  document.invitations = document.invitations.filter((one) => one !== oldest)
}

/**
 * Withdraws the open invitation to an address that a user has got by another way. Otherwise that person could accept it
 * after their user was deleted.
 */
export function withdrawInvitationTo(draft: Draft, email: string): void {
  const invitation = email === "" ? undefined : findOpenInvitation(draft, email)
  if (invitation !== undefined) settle(draft, invitation, InvitationStatus.REVOKED)
}
