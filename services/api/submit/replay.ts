import { Authority, Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Refused } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Stamp } from "../../../signer/core/stamp/read-stamp.ts"
import type { Caller, StampValues } from "../authentication/authenticate.ts"
import { fingerprintText } from "../resources/activity.ts"
import { isPending } from "../resources/vote-rights.ts"
import { liveVotes, readVotes } from "../resources/votes.ts"
import { type ActivityRow, getActivityByFingerprint } from "../store/activities.ts"
import type { Database } from "../store/database.ts"
import { isDenied } from "./activity-rows.ts"
import type { Submission } from "./envelope.ts"

/** A submission with its stamp and its caller. Caller undefined: only the signer can identify them. */
export type SubmitRequest = {
  submission: Submission
  stamps: StampValues
  stamp: Stamp
  caller: Caller | undefined
  nowMs: number
}
type CallerRequest = SubmitRequest & { caller: Caller }

export function hasCaller(request: SubmitRequest): request is CallerRequest {
  return request.caller !== undefined
}

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
  if (activity.authority === Authority.VOTE) return findVotedOn(sql, request)
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
    ? findVotedOn(sql, request)
    : findOwn(sql, request)
}

/**
 * Refuses a vote on a final activity as ACTIVITY_FINAL also when the signer no longer knows it: the signer forgets an
 * activity an hour after its decision, the database does not.
 */
export async function withStoredStatus(
  sql: Database,
  request: CallerRequest,
  refusal: Refused,
): Promise<Refused> {
  if (refusal.code !== RefusalCode.ACTIVITY_UNKNOWN) return refusal
  const row = await findTarget(sql, request)
  if (row === undefined || isPending(row)) return refusal
  const sentence = `the activity is settled, votes no longer count: ${fingerprintText(row.fingerprint)}`
  return { ...refusal, code: RefusalCode.ACTIVITY_FINAL, sentence, field: "" }
}

/** The activity of the body, unless it is another user's denial, which this user may not see. */
async function findOwn(
  sql: Database,
  { submission, caller }: CallerRequest,
): Promise<ActivityRow | undefined> {
  const row = await getActivityByFingerprint(sql, caller.organization.id, submission.fingerprint)
  return row !== undefined && isDenied(row) && row.userId !== caller.owner.user.userId ? undefined : row
}

/** The activity voted on, if it already has the vote with this body. */
async function findVotedOn(sql: Database, request: CallerRequest): Promise<ActivityRow | undefined> {
  const { userId } = request.caller.owner.user
  const row = await findTarget(sql, request)
  if (row === undefined) return undefined
  const message = request.submission.body.toString()
  const isStored = readVotes(row.votes).some((vote) => vote.userId === userId && vote.message === message)
  return isStored ? row : undefined
}

/** The activity that a vote names. */
function findTarget(sql: Database, { submission }: CallerRequest): Promise<ActivityRow | undefined> {
  const { organizationId, parameters } = submission
  const target = Buffer.from(String(parameters.fingerprint).replace(/^sha256:/, ""), "hex")
  return getActivityByFingerprint(sql, organizationId, target)
}

/** A repeated body is a new vote if the activity is pending and the user has no live vote. */
function isNewVote(row: ActivityRow, { caller, nowMs }: CallerRequest): boolean {
  if (!isPending(row)) return false
  const { userId } = caller.owner.user
  return !liveVotes(readVotes(row.votes), nowMs).some((vote) => vote.userId === userId)
}
