import { create } from "@bufbuild/protobuf"
import { RootQuorumSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Draft } from "../../organization/draft.ts"
import { reachableMembers } from "../../organization/login-methods.ts"

/** A root quorum as requests describe it. */
type Quorum = { threshold: number; userIds: readonly string[] }

/** Paths of the members that refusals name. */
type QuorumFields = { threshold: string; userIds: string }

/** Sets the root quorum. Enough of its members must be reachable: no other quorum could be replaced. @throws QUORUM_INVALID */
export function setRootQuorum(draft: Draft, { threshold, userIds }: Quorum, fields: QuorumFields): void {
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
  const able = reachableMembers(draft, members)
  if (able < threshold) {
    const sentence = `quorum threshold is ${threshold}, but only ${able} of its users can log in now`
    throw invalid(sentence, fields.threshold)
  }
  document.rootQuorum = create(RootQuorumSchema, { threshold, userIds: [...members] })
  draft.markChanged()
}

/** True if enough members of the root quorum can log in. */
export function isQuorumReachable(draft: Draft): boolean {
  const { threshold = 0, userIds = [] } = draft.document.rootQuorum ?? {}
  return reachableMembers(draft, new Set(userIds)) >= threshold
}

/** Requires that a quorum that could act still can: contacts let nobody in by a channel that is off. @throws QUORUM_INVALID */
export function requireReachableQuorum(draft: Draft, could: boolean, field: string): void {
  if (!could || isQuorumReachable(draft)) return
  const sentence =
    "too few members of the root quorum could log in without this feature: a contact is their only login method"
  throw invalid(sentence, field)
}

function invalid(sentence: string, field: string) {
  return refuse("QUORUM_INVALID", sentence, { field })
}
