import { Authority, Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { targetOrganization } from "../authentication/authenticate.ts"
import { isPending } from "../resources/vote-rights.ts"
import { liveVotes } from "../resources/votes.ts"
import { type ActivityRow, getActivityByFingerprint } from "../store/activities.ts"
import type { StoredVote } from "../store/stored-vote.ts"
import type { Database } from "../../database/database.ts"
import { isDenied } from "./activity-rows.ts"
import { shownStamp } from "./evidence.ts"
import type { CallerRequest } from "./request.ts"
import { findTarget } from "./vote-target.ts"

/** Refusals that mean: this body, or this user's vote, was decided before. */
const REPLAY_CODES: ReadonlySet<RefusalCode> = new Set([
  RefusalCode.ACTIVITY_REPLAYED,
  RefusalCode.ACTIVITY_FINAL,
  RefusalCode.VOTE_REPEATED,
])

/**
 * The stored activity of a repeated body. Signatures are not looked up here, which would cost each of them a SELECT:
 * their insertion finds an earlier row.
 */
export async function findReplayed(sql: Database, request: CallerRequest): Promise<ActivityRow | undefined> {
  const { activity } = request.submission
  // Only the signer verifies the token of an attested stamp; before that its caller is shown nothing.
  if (request.stamp.kind === "attested") return undefined
  if (activity.authority === Authority.VOTE) return findVotedOn(sql, request, hasCast(request))
  if (activity.consequence === Consequence.SIGNS) return undefined
  const row = await findOwn(sql, request)
  return row === undefined || isNewVote(row, request) ? undefined : row
}

/** The stored activity behind a refusal as a replay; undefined for any other refusal. */
export async function findReplayedAfterRefusal(
  sql: Database,
  request: CallerRequest,
  code: RefusalCode,
): Promise<ActivityRow | undefined> {
  if (!REPLAY_CODES.has(code)) return undefined
  return request.submission.activity.authority === Authority.VOTE
    ? findVotedOn(sql, request, hasSent(request))
    : findOwn(sql, request)
}

/** The activity of the body. A denial is none: the signer decides a denied body again. */
async function findOwn(
  sql: Database,
  { submission, caller }: CallerRequest,
): Promise<ActivityRow | undefined> {
  const row = await getActivityByFingerprint(sql, targetOrganization(caller).id, submission.fingerprint)
  return row !== undefined && isDenied(row) ? undefined : row
}

/** The activity voted on, if one of its votes is the one that `isSame` looks for. */
async function findVotedOn(
  sql: Database,
  request: CallerRequest,
  isSame: (vote: StoredVote) => boolean,
): Promise<ActivityRow | undefined> {
  const row = await findTarget(sql, request.submission)
  return row !== undefined && row.votes.some(isSame) ? row : undefined
}

/** A test for votes that have this body and are this user's. */
function hasSent({ submission, caller }: CallerRequest): (vote: StoredVote) => boolean {
  const { userId } = caller.owner.user
  const message = submission.body.toString()
  return (vote) => vote.userId === userId && vote.message === message
}

/** The same, cast with the same credential: with another one the user may meet an MFA policy, which the signer decides. */
function hasCast(request: CallerRequest): (vote: StoredVote) => boolean {
  const isSent = hasSent(request)
  const { publicKey } = shownStamp(request.stamp, request.caller.owner)
  return (vote) => isSent(vote) && vote.publicKey === publicKey
}

/** A repeated body is a new vote if the activity is pending and the user has no live vote. */
function isNewVote(row: ActivityRow, { caller, nowMs }: CallerRequest): boolean {
  if (!isPending(row)) return false
  const { userId } = caller.owner.user
  return !liveVotes(row.votes, nowMs).some((vote) => vote.userId === userId)
}
