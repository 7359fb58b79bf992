// Rules for every step of votes.ts. They follow the threat model's claims of A5, not the state machine.
import { QUORUMS, type State, USERS, type User, type VoteEvent } from "./votes.ts"

/** A step of a path. `given`: users who have stamped an approval since the activity was proposed or its votes lapsed. */
export type Step = { before: State; event: VoteEvent; after: State; given: ReadonlySet<User> }

/** The first promise that the step breaks. */
export function brokenPromise({ before, event, after, given }: Step): string | undefined {
  if (before.status !== "waiting" && after.status !== before.status) return "what has ended stays"
  if (after.status === before.status) return sameStatus(before, event, after)
  if (event.is === "lapse" || event.is === "restart" || event.is === "quorum" || event.is === "older")
    return "nothing ends without a vote"
  const { members, threshold } = QUORUMS[before.quorum]!
  if (!members.includes(event.user)) return "only members end an activity"
  if (after.status === "rejected") return event.is === "reject" ? undefined : "an approval rejects nothing"
  if (event.is === "reject") return "a rejection completes nothing"
  const agreed = members.filter((user) => given.has(user) || user === event.user)
  return agreed.length >= threshold ? undefined : "an activity runs with the votes of present members alone"
}

function sameStatus(before: State, event: VoteEvent, after: State): string | undefined {
  const { members } = QUORUMS[before.quorum]!
  const isUnvoted = event.is === "reject" && before.approvals[event.user] === undefined
  if (isUnvoted && before.status === "waiting" && members.includes(event.user))
    return "a member's rejection ends an activity"
  const added = USERS.filter(
    (user) => after.approvals[user] !== undefined && before.approvals[user] === undefined,
  )
  const isOwn = (user: User) => (event.is === "approve" || event.is === "body") && event.user === user
  if (added.some((user) => !isOwn(user) || !members.includes(user)))
    return "a vote is its user's, and a member's"
  if (event.is === "body" && before.isOld && added.length > 0) return "an old body is no vote"
  return undefined
}

/** Users who have stamped an approval, after the event. */
export function givenAfter(given: ReadonlySet<User>, event: VoteEvent): ReadonlySet<User> {
  if (event.is === "lapse") return new Set()
  return event.is === "approve" || event.is === "body" ? new Set([...given, event.user]) : given
}
