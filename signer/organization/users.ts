import { create } from "@bufbuild/protobuf"
import { type User, UserSchema } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../refusal.ts"
import type { OrganizationDraft } from "./draft.ts"
import { MAX_USERS } from "./limits.ts"

export type NewUser = Pick<User, "userId" | "name" | "email" | "phoneNumber">

/** @throws RESOURCE_UNKNOWN */
export function requireUser(draft: OrganizationDraft, userId: string, field: string): User {
  const user = draft.document.users.find((candidate) => candidate.userId === userId)
  if (user !== undefined) return user
  throw refuse("RESOURCE_UNKNOWN", `unable to find user ${userId} in organization ${draft.id}`, { field })
}

/** @throws LIMIT_EXCEEDED, NAME_TAKEN */
export function addUser(draft: OrganizationDraft, user: NewUser, field: string): User {
  const { users } = draft.document
  if (users.length >= MAX_USERS) {
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${MAX_USERS} users`, { field })
  }
  if (users.some((other) => other.name === user.name)) {
    const at = { field: `${field}.userName` }
    throw refuse("NAME_TAKEN", `user name must be unique: ${user.name} is taken`, at)
  }
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
