import { failed, type Finding, notProven, quoted } from "./finding.ts"
import { isJsonObject, type JsonMembers } from "../../../../proto/strict-json.ts"
import { objectIn, textIn } from "./json.ts"
import { isSameStamp, isStamped, readStampedText, type StampedText } from "./stamped-text.ts"

export type Selection = "VOTE_SELECTION_APPROVED" | "VOTE_SELECTION_REJECTED"

/** A vote as the API tier showed it. */
export type ShownVote = StampedText & {
  userId: string
  selection: string
  activityId: string
  /** Id of the user whose record is shown with the vote. */
  recordOf: string
}

/** The votes of an activity; an unreadable one becomes an empty one, which fails every check. */
export function readVotes(activity: JsonMembers): ShownVote[] {
  const { votes } = activity
  return Array.isArray(votes) ? votes.map((vote: unknown) => readVote(isJsonObject(vote) ? vote : {})) : []
}

function readVote(json: JsonMembers): ShownVote {
  return {
    ...readStampedText(json),
    userId: textIn(json, "userId"),
    selection: textIn(json, "selection"),
    activityId: textIn(json, "activityId"),
    recordOf: textIn(objectIn(json, "user"), "userId"),
  }
}

/** The activity voted on. `selectionOf`: what a stamped message votes for; undefined if it is about another activity. */
export type VotedActivity = { id: string; selectionOf(message: string): Selection | undefined }

/** The fault of one vote, counted or not; undefined if a key stamped exactly what is shown. */
export function faultOfVote(vote: ShownVote, activity: VotedActivity): Finding | undefined {
  const { userId } = vote
  const [publicKey, selection] = [quoted(vote.publicKey), quoted(vote.selection)]
  const stamped = activity.selectionOf(vote.message)
  if (stamped === undefined) return failed(`the vote of key ${publicKey} is not about the activity shown`)
  if (stamped !== vote.selection)
    return failed(`the vote of key ${publicKey} is shown as ${selection}: it was ${stamped}`)
  if (vote.activityId !== activity.id || vote.recordOf !== userId) {
    return failed(`the vote of key ${publicKey} is shown with another activity or another user's record`)
  }
  return isStamped(vote)
    ? undefined
    : failed(`the stamp of key ${publicKey} in a vote does not cover its message`)
}

/** `counted`: the vote of each approval, in their order; `others`: votes that belong to no approval. */
export type SortedVotes = { counted: (ShownVote | undefined)[]; others: ShownVote[] }

/** Matches each approval with its own vote: a stamp that is shown twice, for two users, counts once. */
export function sortVotes(approvals: readonly StampedText[], votes: readonly ShownVote[]): SortedVotes {
  const others = [...votes]
  const counted = approvals.map((approval) => {
    const index = others.findIndex((vote) => isSameStamp(vote, approval))
    return index === -1 ? undefined : others.splice(index, 1)[0]
  })
  return { counted, others }
}

/** Votes that did not count. Honest activities show them too: expired ones, votes of removed keys, rejections. */
export function findingOfUncounted({ userId, publicKey, selection }: ShownVote): Finding {
  const verb = selection === "VOTE_SELECTION_REJECTED" ? "rejected" : "approved"
  return notProven(
    `that user ${userId} ${verb} it with key ${quoted(publicKey)}: this vote is none of those that were counted`,
  )
}
