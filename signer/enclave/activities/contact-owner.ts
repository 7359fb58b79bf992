import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { provesContact } from "../../core/otp/verification-token.ts"
import { refuse } from "../../core/refusal.ts"
import type { ActivityContext } from "./activity.ts"

/** A contact, and how refusals name it. `remedy`: what to do where several users have it. */
export type NamedContact = {
  channel: OtpType
  contact: string
  field: string
  name: string
  remedy: string
}

/** The one user with a contact, if there is one. The channel is read too: a number is no address. @throws CONTACT_AMBIGUOUS */
export function findContactOwner(
  { channel, contact, field, name, remedy }: NamedContact,
  { organization }: Pick<ActivityContext, "organization">,
): User | undefined {
  const contactOf = ({ email, phoneNumber }: User) => (channel === OtpType.EMAIL ? email : phoneNumber)
  const [user, another] = organization.document.users.filter((one) =>
    provesContact({ channel, contact }, channel, contactOf(one)),
  )
  if (another === undefined) return user
  throw refuse("CONTACT_AMBIGUOUS", `several users have ${name}: ${remedy}`, { field })
}

/** The one user with a contact. @throws RESOURCE_UNKNOWN, CONTACT_AMBIGUOUS */
export function requireContactOwner(
  contact: NamedContact,
  context: Pick<ActivityContext, "organization">,
): User {
  const user = findContactOwner(contact, context)
  if (user !== undefined) return user
  const sentence = `no user of organization ${context.organization.id} has ${contact.name}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field: contact.field })
}
