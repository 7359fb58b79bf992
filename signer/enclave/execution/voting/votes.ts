import { create } from "@bufbuild/protobuf"
import { VoteSelection } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type PendingActivity,
  StampSchema,
  type Vote,
  VoteSchema,
} from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Approval } from "../../../core/policy/decision/decision-input.ts"
import { VOTES_LAPSE_AFTER_MS } from "../../../core/liveness.ts"
import { refuse } from "../../../core/refusal.ts"
import { type StampParts, stampParts } from "../../../core/stamp/index.ts"
import { approvalOf, type CredentialOwner, findOwner } from "../state/credential-owner.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import type { Sessions } from "../state/sessions.ts"
import type { Request } from "../state/request.ts"

/** Votes kept of one activity, lapsed ones included: its row is written anew with each. */
const MAX_VOTES = 500

/** A moment, for an organization: what decides whether a vote counts. */
type Moment = { organization: Organization; sessions: Sessions; nowMs: number }

/** The vote that a stamp casts, with the evidence for it. `message`: empty for the activity's own body. */
export function makeVote(
  stamp: StampParts,
  message: Uint8Array,
  user: User,
  selection: VoteSelection,
  id: string,
  nowMs: number,
): Vote {
  return create(VoteSchema, {
    voteId: id,
    userId: user.userId,
    selection,
    message,
    stamp: create(StampSchema, stamp),
    createdAtMs: BigInt(nowMs),
  })
}

/** A stamp with what it takes to verify it again: who audits votes needs nothing else. */
export function evidenceOf({ stamp }: Request, holder: CredentialOwner): StampParts {
  return "authenticator" in holder ? stampParts(stamp, holder.authenticator.publicKey) : stampParts(stamp)
}

/** Marks the votes that came too long ago. They stay, as evidence; they are not counted. */
export function lapseVotes(pending: PendingActivity, nowMs: number): void {
  const first = pending.votes.find((vote) => vote.lapsedAtMs === 0n)
  if (first === undefined) return
  const lapsesAtMs = first.createdAtMs + BigInt(VOTES_LAPSE_AFTER_MS)
  if (BigInt(nowMs) < lapsesAtMs) return
  for (const vote of pending.votes) if (vote.lapsedAtMs === 0n) vote.lapsedAtMs = lapsesAtMs
}

/** Approvals that count now. */
export function countedApprovals(pending: PendingActivity, moment: Moment): Vote[] {
  return pending.votes.filter((vote) => vote.selection === VoteSelection.APPROVED && counts(vote, moment))
}

/** Who has approved, in the order in which they began to, each with the credentials that he did it by. */
export function approvalsOf(pending: PendingActivity, moment: Moment): Approval[] {
  const approvals = new Map<string, Approval>()
  for (const vote of pending.votes) {
    const holder = vote.selection === VoteSelection.APPROVED ? holderOf(vote, moment) : undefined
    if (holder === undefined) continue
    const { user, credentials } = approvalOf(holder)
    const before = approvals.get(user.userId)?.credentials ?? []
    approvals.set(user.userId, { user, credentials: [...before, ...credentials] })
  }
  return [...approvals.values()]
}

/**
 * A user votes once, but for proving what his MFA policy demands (`isProving`). When his vote counts no more, again, but
 * with a new body: old ones may still be live, and whoever kept one could give the vote in his place.
 *
 * @throws VOTE_REPEATED, ACTIVITY_REPLAYED, REQUEST_STALE, LIMIT_EXCEEDED
 */
export function requireMayVote(
  pending: PendingActivity,
  user: User,
  request: Request,
  moment: Moment,
  isProving: boolean,
): void {
  const own = pending.votes.filter((vote) => vote.userId === user.userId)
  if (!isProving && own.some((vote) => counts(vote, moment))) {
    throw refuse("VOTE_REPEATED", `user ${user.userId} has already voted on this activity`)
  }
  if (own.some(({ message }) => isSame(message.length > 0 ? message : pending.body, request.body))) {
    throw refuse("ACTIVITY_REPLAYED", "this vote counts no more: stamp a new request to give it again")
  }
  const lapsedAtMs = pending.votes.reduce(
    (last, vote) => (vote.lapsedAtMs > last ? vote.lapsedAtMs : last),
    0n,
  )
  if (BigInt(request.timestampMs) < lapsedAtMs) {
    throw refuse("REQUEST_STALE", "the votes have lapsed since this request was stamped: stamp a new one", {
      field: "timestampMs",
    })
  }
  if (pending.votes.length >= MAX_VOTES) {
    throw refuse("LIMIT_EXCEEDED", `an activity takes at most ${MAX_VOTES} votes, lapsed ones included`)
  }
}

/** Who submitted the activity: the first vote ever cast on it. */
export function submitterOf(pending: PendingActivity): string {
  return pending.votes[0]?.userId ?? ""
}

/** By what the activity was submitted; undefined: the submission counts no more. */
export function submissionHolder(pending: PendingActivity, moment: Moment): CredentialOwner | undefined {
  const [submission] = pending.votes
  return submission && holderOf(submission, moment)
}

/**
 * A vote counts while it has not lapsed and its key is still one of its user's: whoever removes a stolen key, or ends
 * a session, takes its votes back with it.
 */
function counts(vote: Vote, moment: Moment): boolean {
  return holderOf(vote, moment) !== undefined
}

/** Who voted, by what; undefined: the vote counts no more. */
function holderOf(vote: Vote, moment: Moment): CredentialOwner | undefined {
  if (vote.lapsedAtMs !== 0n) return undefined
  const { credential = "", publicKey = "" } = vote.stamp ?? {}
  const holder = findOwner(moment.organization, credential, moment.sessions)
  if (holder?.user.userId !== vote.userId) return undefined
  const stands =
    "authenticator" in holder
      ? asShown(holder.authenticator.publicKey) === publicKey
      : holder.apiKey.expiresAtMs === 0n || holder.apiKey.expiresAtMs > BigInt(moment.nowMs)
  return stands ? holder : undefined
}

/** A passkey that was removed and registered anew under its id, with another key, is another one. */
function asShown(passkeyPublicKey: Uint8Array): string {
  return Buffer.from(passkeyPublicKey).toString("base64url")
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
