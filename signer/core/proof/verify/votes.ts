import type { ShownActivity } from "./activity.ts"
import { failed, type Finding, notProven } from "./finding.ts"
import { isJsonObject } from "../../../../proto/strict-json.ts"
import { type Json, objectIn, textIn } from "./json.ts"
import { isSameStamp, isStamped, readStampedText, type StampedText } from "./stamped-text.ts"

export type Selection = "VOTE_SELECTION_APPROVED" | "VOTE_SELECTION_REJECTED"

/** A vote as somebody was shown it. */
export type ShownVote = StampedText & {
  userId: string
  selection: string
  activityId: string
  /** Whose record stands with it. */
  recordOf: string
}

/** The votes of an activity; what is none is kept as an empty one, which no check lets pass. */
export function readVotes(activity: Json): ShownVote[] {
  const { votes } = activity
  return Array.isArray(votes) ? votes.map((vote: unknown) => readVote(isJsonObject(vote) ? vote : {})) : []
}

function readVote(json: Json): ShownVote {
  return {
    ...readStampedText(json),
    userId: textIn(json, "userId"),
    selection: textIn(json, "selection"),
    activityId: textIn(json, "activityId"),
    recordOf: textIn(objectIn(json, "user"), "userId"),
  }
}

/** What is wrong with a vote by itself, counted or not; undefined: somebody's key stamped what is shown. */
export function faultOfVote(vote: ShownVote, activity: ShownActivity): Finding | undefined {
  const { publicKey, userId, selection } = vote
  const stamped = activity.selectionOf(vote.message)
  if (stamped === undefined) return failed(`the vote of key ${publicKey} is not about the activity shown`)
  if (stamped !== selection)
    return failed(`the vote of key ${publicKey} is shown as ${selection}: it was ${stamped}`)
  if (vote.activityId !== activity.id || vote.recordOf !== userId) {
    return failed(`the vote of key ${publicKey} is shown with another activity or another user's record`)
  }
  return isStamped(vote)
    ? undefined
    : failed(`the stamp of key ${publicKey} in a vote does not cover its message`)
}

/** `counted`: the vote of each approval, in their order; `others`: votes that no approval is of. */
export type SortedVotes = { counted: (ShownVote | undefined)[]; others: ShownVote[] }

/** Each approval has a vote of its own: the same stamp shown twice, for two users, is one that counted and one that did not. */
export function sortVotes(approvals: readonly StampedText[], votes: readonly ShownVote[]): SortedVotes {
  const others = [...votes]
  const counted = approvals.map((approval) => {
    const index = others.findIndex((vote) => isSameStamp(vote, approval))
    return index === -1 ? undefined : others.splice(index, 1)[0]
  })
  return { counted, others }
}

/** Honest activities show such votes too: of a day before, of a key that was removed, of who rejected. */
export function findingOfUncounted({ userId, publicKey, selection }: ShownVote): Finding {
  const verb = selection === "VOTE_SELECTION_REJECTED" ? "rejected" : "approved"
  return notProven(
    `that user ${userId} ${verb} it with key ${publicKey}: this vote is none of those that were counted`,
  )
}
