import { createHash } from "node:crypto"
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { foldCase } from "./same-contact.ts"

/** An e-mail address or a phone number, as somebody spelt it. */
export type Contact = { readonly channel: OtpType; readonly contact: string }

/** A contact of a user. `isProven`: a verification token has proven that the user reads its messages. */
export type UserContact = Contact & { readonly isProven: boolean }

/** A contact with its only user. */
export type ContactOwner = { readonly user: User; readonly contact: UserContact }

/** The contacts that a user has. */
export function contactsOf(user: User): UserContact[] {
  const { email, emailVerified, phoneNumber, phoneNumberVerified } = user
  return [
    { channel: OtpType.EMAIL, contact: email, isProven: emailVerified },
    { channel: OtpType.SMS, contact: phoneNumber, isProven: phoneNumberVerified },
  ].filter(({ contact }) => contact !== "")
}

/** Records that a verification token has proven the user's contact. True if that was not known before. */
export function proveContact(user: User, channel: OtpType): boolean {
  const member = channel === OtpType.EMAIL ? "emailVerified" : "phoneNumberVerified"
  const isNew = !user[member]
  user[member] = true
  return isNew
}

/** Names of contacts begin with it; no other name of a credential does. */
const PREFIX = "contact:"

/**
 * Name of a contact as a credential: `contact:` and the SHA-256 of its JSON list, base64url. Spellings that a token
 * proves alike have one name.
 */
export function contactName({ channel, contact }: Contact): string {
  const digest = createHash("sha256").update(
    JSON.stringify([channel === OtpType.EMAIL ? "email" : "sms", foldCase(contact)]),
  )
  return `${PREFIX}${digest.digest("base64url")}`
}

export function isContactName(credential: string): boolean {
  return credential.startsWith(PREFIX)
}

/** The owners of contacts by name. A contact that several users have identifies none of them, and is left out. */
export function contactOwners(users: readonly User[]): ReadonlyMap<string, ContactOwner> {
  const owners = new Map<string, ContactOwner>()
  const shared = new Set<string>()
  for (const user of users) {
    for (const contact of contactsOf(user)) {
      const name = contactName(contact)
      if (owners.has(name)) shared.add(name)
      owners.set(name, { user, contact })
    }
  }
  for (const name of shared) owners.delete(name)
  return owners
}
