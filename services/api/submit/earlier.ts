import { Authority, Consequence } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Refused } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { fingerprintText } from "../resources/activity.ts"
import { type ActivityRow, getActivityByFingerprint } from "../store/activities.ts"
import type { Database } from "../store/database.ts"
import { isPending } from "../resources/vote-rights.ts"
import { liveVotes, readVotes } from "../resources/votes.ts"
import { isDenied } from "./activity-rows.ts"
import type { Submission } from "./envelope.ts"

/** A request whose user is known. */
export type Identified = {
  submission: Submission
  /** His own: a login may name only the parent of it. */
  organizationId: string
  userId: string
  nowMs: number
}

/** The signer says by these that the body, or the user's vote, was there before. */
const SAID_BEFORE: ReadonlySet<RefusalCode> = new Set([
  RefusalCode.ACTIVITY_REPLAYED,
  RefusalCode.ACTIVITY_FINAL,
  RefusalCode.VOTE_REPEATED,
])

/**
 * The activity that this body already is: then nothing runs. Signatures are not looked up beforehand, for
 * that would be a query for each; the insertion finds the row that was there.
 */
export async function findEarlier(sql: Database, request: Identified): Promise<ActivityRow | undefined> {
  const { activity } = request.submission
  if (activity.authority === Authority.VOTE) return findVotedOn(sql, request)
  if (activity.consequence === Consequence.SIGNS) return undefined
  const row = await findOwn(sql, request)
  return row === undefined || isVote(row, request) ? undefined : row
}

/** The activity behind a refusal that only says that this was said before; undefined for a refusal to pass on. */
export async function findRefused(
  sql: Database,
  request: Identified,
  code: RefusalCode,
): Promise<ActivityRow | undefined> {
  if (!SAID_BEFORE.has(code)) return undefined
  return request.submission.activity.authority === Authority.VOTE
    ? findVotedOn(sql, request)
    : findOwn(sql, request)
}

/**
 * What a refusal says in the light of what the database knows: the signer forgets what was settled over an hour ago, and
 * then knows no such activity.
 */
export async function asKnownHere(sql: Database, request: Identified, refusal: Refused): Promise<Refused> {
  if (refusal.code !== RefusalCode.ACTIVITY_UNKNOWN) return refusal
  const row = await findTarget(sql, request)
  if (row === undefined || isPending(row)) return refusal
  const sentence = `the activity is settled, votes no longer count: ${fingerprintText(row.fingerprint)}`
  return { ...refusal, code: RefusalCode.ACTIVITY_FINAL, sentence, field: "" }
}

/** That somebody else was denied the same body says nothing of this user, and is not his to see. */
async function findOwn(
  sql: Database,
  { submission, organizationId, userId }: Identified,
): Promise<ActivityRow | undefined> {
  const row = await getActivityByFingerprint(sql, organizationId, submission.fingerprint)
  return row !== undefined && isDenied(row) && row.userId !== userId ? undefined : row
}

/** The target of a vote, if it holds the vote that this very body cast. */
async function findVotedOn(sql: Database, request: Identified): Promise<ActivityRow | undefined> {
  const { body } = request.submission
  const row = await findTarget(sql, request)
  if (row === undefined) return undefined
  const message = body.toString()
  const isThere = readVotes(row.votes).some(
    (vote) => vote.userId === request.userId && vote.message === message,
  )
  return isThere ? row : undefined
}

/** The activity that a vote names. */
function findTarget(sql: Database, { submission }: Identified): Promise<ActivityRow | undefined> {
  const { organizationId, parameters } = submission
  const target = Buffer.from(String(parameters.fingerprint).replace(/^sha256:/, ""), "hex")
  return getActivityByFingerprint(sql, organizationId, target)
}

/** The same body counts as a vote while the activity waits and its user has no vote that still counts. */
function isVote(row: ActivityRow, { userId, nowMs }: Identified): boolean {
  if (!isPending(row)) return false
  return !liveVotes(readVotes(row.votes), nowMs).some((vote) => vote.userId === userId)
}
