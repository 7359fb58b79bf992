import { create } from "@bufbuild/protobuf"
import { type User, UserSchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { OrganizationDraft } from "./draft.ts"
import { MAX_USERS } from "./limits.ts"

export type NewUser = Pick<User, "userId" | "name" | "email" | "phoneNumber">

/** @throws RESOURCE_UNKNOWN */
export function requireUser(draft: OrganizationDraft, userId: string, field: string): User {
  const user = draft.document.users.find((candidate) => candidate.userId === userId)
  if (user !== undefined) return user
  throw refuse("RESOURCE_UNKNOWN", `unable to find user ${userId} in organization ${draft.id}`, { field })
}

/** Users, each once; the field of a refusal names the place in the list. @throws RESOURCE_UNKNOWN */
export function requireUsers(draft: OrganizationDraft, userIds: readonly string[], field: string): User[] {
  return [...new Set(userIds.map((userId, index) => requireUser(draft, userId, `${field}[${index}]`)))]
}

/** @throws LIMIT_EXCEEDED, NAME_TAKEN */
export function addUser(draft: OrganizationDraft, user: NewUser, field: string): User {
  const { users } = draft.document
  if (users.length >= MAX_USERS) {
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${MAX_USERS} users`, { field })
  }
  requireFreeName(draft, user, `${field}.userName`)
  const added = create(UserSchema, { ...user, createdAtMs: draft.nowMs, updatedAtMs: draft.nowMs })
  users.push(added)
  draft.markChanged()
  return added
}

/** To be called with every change of a user. */
export function touchUser(draft: OrganizationDraft, user: User): void {
  user.updatedAtMs = draft.nowMs
  draft.markChanged()
}

/** @throws NAME_TAKEN */
export function renameUser(draft: OrganizationDraft, user: User, name: string, field: string): void {
  requireFreeName(draft, { userId: user.userId, name }, field)
  user.name = name
  touchUser(draft, user)
}

/** Replaces the e-mail address, or removes it with "". Nobody has proven to read another than before. */
export function setEmail(draft: OrganizationDraft, user: User, email: string): void {
  if (user.email !== email) user.emailVerified = false
  user.email = email
  touchUser(draft, user)
}

/** Replaces the telephone number, or removes it with "". Nobody has proven to read another than before. */
export function setPhoneNumber(draft: OrganizationDraft, user: User, phoneNumber: string): void {
  if (user.phoneNumber !== phoneNumber) user.phoneNumberVerified = false
  user.phoneNumber = phoneNumber
  touchUser(draft, user)
}

/**
 * Deletes users with their credentials; their votes count no more. A member of the root quorum stays, so there is
 * always somebody who may act.
 *
 * @returns their ids, each once
 * @throws RESOURCE_UNKNOWN, QUORUM_MEMBER
 */
export function removeUsers(draft: OrganizationDraft, userIds: readonly string[], field: string): string[] {
  const { document } = draft
  const leaving = requireUsers(draft, userIds, field).map(({ userId }) => userId)
  const member = leaving.find((userId) => document.rootQuorum?.userIds.includes(userId))
  if (member !== undefined) {
    const sentence = `quorum users missing: user ${member} is a member of the root quorum; take it out with update_root_quorum first`
    throw refuse("QUORUM_MEMBER", sentence, { field: `${field}[${userIds.indexOf(member)}]` })
  }
  document.users = document.users.filter(({ userId }) => !leaving.includes(userId))
  draft.markChanged()
  return leaving
}

/** Names are compared as they are, code unit by code unit; a user does not stand in his own way. */
function requireFreeName(
  { document }: OrganizationDraft,
  { userId, name }: Pick<User, "userId" | "name">,
  field: string,
): void {
  if (!document.users.some((other) => other.name === name && other.userId !== userId)) return
  throw refuse("NAME_TAKEN", `user name must be unique: ${name} is taken`, { field })
}
