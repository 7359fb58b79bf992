import { create } from "@bufbuild/protobuf"
import type { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type User, UserSchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { proveContact } from "../../core/otp/user-contact.ts"
import { refuse } from "../../core/refusal.ts"
import { requireNotOfProxy, requireUniqueName } from "./checks.ts"
import type { Draft } from "./draft.ts"
import { isReachable, requireStillReachable } from "./login-methods.ts"
import { withdrawInvitationTo } from "./invitation-state.ts"

export type NewUser = Pick<User, "userId" | "name" | "email" | "phoneNumber">

/** @throws RESOURCE_UNKNOWN */
export function requireUser(draft: Draft, userId: string, field: string): User {
  const user = draft.document.users.find((candidate) => candidate.userId === userId)
  if (user !== undefined) return user
  throw refuse("RESOURCE_UNKNOWN", `unable to find user ${userId} in organization ${draft.id}`, { field })
}

/** The users with these ids, each once. @throws RESOURCE_UNKNOWN, naming the index */
export function requireUsers(draft: Draft, userIds: readonly string[], field: string): User[] {
  return [...new Set(userIds.map((userId, index) => requireUser(draft, userId, `${field}[${index}]`)))]
}

/** Withdraws an open invitation to the user's address. @throws LIMIT_EXCEEDED, NAME_TAKEN */
export function addUser(draft: Draft, user: NewUser, field: string): User {
  const { users } = draft.document
  const { users: max } = draft.limits
  if (users.length >= max)
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${max} users`, { field })
  requireUniqueName(users, user.name, "user name", `${field}.userName`)
  const added = create(UserSchema, { ...user, ...draft.created })
  users.push(added)
  withdrawInvitationTo(draft, user.email)
  draft.markChanged()
  return added
}

/** @throws NAME_TAKEN */
export function renameUser(draft: Draft, user: User, name: string, field: string): void {
  const others = draft.document.users.filter((other) => other !== user)
  requireUniqueName(others, name, "user name", field)
  user.name = name
  draft.touch(user)
}

/** Replaces the e-mail address; "" removes it. A new address is unverified, and an open invitation to it is withdrawn. @throws LAST_CREDENTIAL */
export function setEmail(draft: Draft, user: User, email: string, field: string): void {
  const could = isReachable(draft, user)
  if (user.email !== email) user.emailVerified = false
  user.email = email
  requireStillReachable(draft, user, could, field)
  withdrawInvitationTo(draft, email)
  draft.touch(user)
}

/** Records that a login has proven the user's contact. */
export function markContactProven(draft: Draft, user: User, channel: OtpType): void {
  if (proveContact(user, channel)) draft.touch(user)
}

/** Replaces the phone number; "" removes it. A new number is unverified. @throws LAST_CREDENTIAL */
export function setPhoneNumber(draft: Draft, user: User, phoneNumber: string, field: string): void {
  const could = isReachable(draft, user)
  if (user.phoneNumber !== phoneNumber) user.phoneNumberVerified = false
  user.phoneNumber = phoneNumber
  requireStillReachable(draft, user, could, field)
  draft.touch(user)
}

/**
 * Deletes users with their credentials; their votes no longer count. Members of the root quorum cannot be deleted, so
 * the quorum stays able to act, and neither can the auth proxy's user. Returns the users' ids, each once.
 * @throws RESOURCE_UNKNOWN, QUORUM_MEMBER, AUTH_PROXY_IN_USE
 */
export function removeUsers(draft: Draft, userIds: readonly string[], field: string): string[] {
  const { document } = draft
  const removed = requireUsers(draft, userIds, field).map(({ userId }) => userId)
  const member = removed.find((userId) => document.rootQuorum?.userIds.includes(userId))
  if (member !== undefined) {
    const sentence = `quorum users missing: user ${member} is a member of the root quorum; use update_root_quorum first`
    throw refuse("QUORUM_MEMBER", sentence, { field: `${field}[${userIds.indexOf(member)}]` })
  }
  requireNotOfProxy(draft, ({ userId }) => removed.includes(userId), field)
  document.users = document.users.filter(({ userId }) => !removed.includes(userId))
  draft.markChanged()
  return removed
}
