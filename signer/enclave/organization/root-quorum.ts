import { create } from "@bufbuild/protobuf"
import { RootQuorumSchema, type User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { hasLastingCredential, hasLastingOrIdentity } from "./credentials.ts"
import type { Draft } from "./draft.ts"

/** A root quorum as requests describe it. */
type Quorum = { threshold: number; userIds: readonly string[] }

/** Paths of the members that refusals name. */
type QuorumFields = { threshold: string; userIds: string }

/** Requires enough members with a lasting credential: no other quorum could be replaced. @throws QUORUM_INVALID */
export function setRootQuorum(draft: Draft, quorum: Quorum, fields: QuorumFields): void {
  putQuorum(draft, quorum, hasLastingCredential, fields)
}

/**
 * Sets the first root quorum of a new organization. An OpenID Connect identity suffices for its members: they log in
 * with it once OAUTH_LOGIN is served. @throws QUORUM_INVALID
 */
export function setFirstRootQuorum(draft: Draft, quorum: Quorum, fields: QuorumFields): void {
  putQuorum(draft, quorum, hasLastingOrIdentity, fields)
}

function putQuorum(
  draft: Draft,
  { threshold, userIds }: Quorum,
  isAble: (user: User) => boolean,
  fields: QuorumFields,
): void {
  const { document } = draft
  const { users } = document
  const members = new Set(userIds)
  if (!Number.isInteger(threshold) || threshold < 1)
    throw invalid("quorum threshold must be non-zero integer", fields.threshold)
  if (members.size !== userIds.length) throw invalid("a quorum user is named twice", fields.userIds)
  for (const userId of members) {
    if (users.some((user) => user.userId === userId)) continue
    throw invalid(`quorum users missing: ${userId} is not a user of organization ${draft.id}`, fields.userIds)
  }
  if (members.has(document.authProxy?.userId ?? ""))
    throw invalid("the auth proxy's user cannot be a member: it casts no vote", fields.userIds)
  const able = users.filter((user) => members.has(user.userId) && isAble(user)).length
  if (able < threshold) {
    const sentence = `quorum threshold is ${threshold}, but only ${able} of its users have a lasting credential`
    throw invalid(sentence, fields.threshold)
  }
  document.rootQuorum = create(RootQuorumSchema, { threshold, userIds: [...members] })
  draft.markChanged()
}

function invalid(sentence: string, field: string) {
  return refuse("QUORUM_INVALID", sentence, { field })
}
