import { create } from "@bufbuild/protobuf"
import { VoteSelection } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type PendingActivity,
  StampSchema,
  type Vote,
  VoteSchema,
} from "../../proto/gen/countersign/state/v1/activity_pb.ts"
import type { User } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Organization } from "../organization/organization.ts"
import { refuse } from "../refusal.ts"
import type { Request } from "./request.ts"

/** Votes that have not brought consensus within this time of the first of them count no more. */
export const VOTES_LAPSE_AFTER_MS = 24 * 60 * 60 * 1000

/** The vote that a request casts, with the evidence for it. */
export function makeVote(
  request: Request,
  user: User,
  selection: VoteSelection,
  id: string,
  nowMs: number,
): Vote {
  const { scheme, publicKeyHex, signature } = request.stamp
  return create(VoteSchema, {
    voteId: id,
    userId: user.userId,
    selection,
    message: request.body,
    stamp: create(StampSchema, {
      scheme,
      publicKey: publicKeyHex,
      signature: Buffer.from(signature).toString("hex"),
    }),
    createdAtMs: BigInt(nowMs),
  })
}

/** Marks the votes that came too long ago. They stay, as evidence; they are not counted. */
export function lapseVotes(pending: PendingActivity, nowMs: number): void {
  const first = pending.votes.find((vote) => !vote.lapsed)
  if (first === undefined || BigInt(nowMs) - first.createdAtMs < BigInt(VOTES_LAPSE_AFTER_MS)) return
  for (const vote of pending.votes) vote.lapsed = true
}

/** Users whose approval counts now: live votes of users who still belong to the organization. */
export function approversOf(pending: PendingActivity, organization: Organization): string[] {
  return pending.votes
    .filter((vote) => !vote.lapsed && vote.selection === VoteSelection.APPROVED)
    .map((vote) => vote.userId)
    .filter((userId) => organization.user(userId) !== undefined)
}

/**
 * A user votes once; when that vote has lapsed, again, but with a new body: the old one may still be live, and
 * whoever kept it could give the vote in his place.
 *
 * @throws VOTE_REPEATED, ACTIVITY_REPLAYED
 */
export function requireFirstVote(pending: PendingActivity, user: User, body: Uint8Array): void {
  const own = pending.votes.filter((vote) => vote.userId === user.userId)
  if (own.some((vote) => !vote.lapsed)) {
    throw refuse("VOTE_REPEATED", `user ${user.userId} has already voted on this activity`)
  }
  if (own.some(({ message }) => Buffer.compare(message, body) === 0)) {
    throw refuse("ACTIVITY_REPLAYED", "this vote has lapsed: stamp a new request to give it again")
  }
}

/** Who submitted the activity: the first vote ever cast on it. */
export function submitterOf(pending: PendingActivity): string {
  return pending.votes[0]?.userId ?? ""
}
