import type { Outcome } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { timeText } from "./activity-times.ts"
import type { Organization } from "../authentication/stored-organization.ts"

/** A vote as it is stored with its activity; the voter's record is looked up when it is shown. */
export type StoredVote = {
  id: string
  userId: string
  selection: string
  /** The body that was stamped, as text. */
  message: string
  publicKey: string
  /** Hexadecimal; of a passkey the JSON object of its header. */
  signature: string
  scheme: string
  createdMs: number
  /** What each policy came to when the vote was counted: its id, and its outcome. */
  policyOutcomes?: [policyId: string, outcome: Outcome][]
  /** Users beside the root quorum whose vote would count after this one, as the signer said. */
  voterIds?: string[]
  /** How far those who had approved were with their MFA policies, as replies show it. */
  mfaStatuses?: MfaStatusJson[]
}

/** MfaStatus as JSON. */
export type MfaStatusJson = { [member: string]: unknown; userId: string; satisfied: boolean }

/** Votes that have not brought consensus within this time of the first of them count no more. */
export const VOTES_LAPSE_AFTER_MS = 24 * 60 * 60 * 1000

export function readVotes(text: string): StoredVote[] {
  return JSON.parse(text) as StoredVote[]
}

/**
 * The votes that count now. They lapse together, a day after the first of them; the next one starts a new
 * day. The signer reckons the same way and its word is the one that counts.
 */
export function liveVotes(votes: readonly StoredVote[], nowMs: number): StoredVote[] {
  let live: StoredVote[] = []
  for (const vote of votes) {
    if (hasLapsed(live, vote.createdMs)) live = []
    live.push(vote)
  }
  return hasLapsed(live, nowMs) ? [] : live
}

function hasLapsed(live: readonly StoredVote[], nowMs: number): boolean {
  const [first] = live
  return first !== undefined && nowMs - first.createdMs >= VOTES_LAPSE_AFTER_MS
}

/** One vote as JSON text. The message is the stamped body: with key, signature and scheme it verifies again. */
export function voteText(vote: StoredVote, activityId: string, organization: Organization): string {
  return (
    `{"id":"${vote.id}","userId":"${vote.userId}","user":${organization.userText(vote.userId)},` +
    `"activityId":"${activityId}","selection":"${vote.selection}","message":${JSON.stringify(vote.message)},` +
    `"publicKey":"${vote.publicKey}","signature":${JSON.stringify(vote.signature)},"scheme":"${vote.scheme}",` +
    `"createdAt":${timeText(vote.createdMs, "object")}}`
  )
}
