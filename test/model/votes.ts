// The votes on one activity, as docs/concepts.md and ARCHITECTURE ("Walk of a change and of a vote") describe them. It has a few hundred
// states, so all of them can be explored.
import type { Machine } from "./explore.ts"

export const USERS = ["root", "alice", "bob", "eve"] as const
export type User = (typeof USERS)[number]

/** `members`: the root quorum. Root proposes the activity, and is a member always. */
export const QUORUMS: readonly { members: readonly User[]; threshold: number }[] = [
  { members: ["root", "alice", "bob"], threshold: 3 },
  { members: ["root", "alice", "eve"], threshold: 2 },
]

export type Status = "waiting" | "completed" | "rejected"
export type State = {
  status: Status
  /** Position in QUORUMS. */
  quorum: number
  /** Approvals that have not lapsed, and whether they were given by stamping the activity's own body. */
  approvals: Partial<Record<User, "vote" | "body">>
  /** A day has passed: the activity's own body is older than the hour in which it can be stamped. */
  isOld: boolean
}

/**
 * approve, reject: a new body of a user. body: the user stamps the activity's own body. older: a new approval, offered with the
 * document from before the quorum changed. lapse: a day passes. quorum: the members agree on the other one.
 */
export type VoteEvent =
  | { is: "approve" | "reject" | "body" | "older"; user: User }
  | { is: "lapse" }
  | { is: "restart" }
  | { is: "quorum" }

/** Ways in which a signer could be wrong: each must break a promise (`brokenPromise`) in some state. */
export type Fault = "none" | "lapse" | "left" | "twice" | "rejected" | "stranger" | "old body" | "final"

const EVENTS: readonly VoteEvent[] = [
  ...USERS.flatMap((user) => (["approve", "reject", "body"] as const).map((is) => ({ is, user }))),
  { is: "older", user: "alice" },
  { is: "older", user: "bob" },
  { is: "lapse" },
  { is: "restart" },
  { is: "quorum" },
]

export function votesWith(fault: Fault): Machine<State, VoteEvent> {
  return {
    initial: { status: "waiting", quorum: 0, approvals: { root: "body" }, isOld: false },
    events: EVENTS,
    next: (state, event) => next(state, event, fault),
    key: ({ status, quorum, approvals, isOld }) =>
      JSON.stringify([status, quorum, USERS.map((user) => approvals[user] ?? ""), isOld]),
  }
}

export const VOTES = votesWith("none")

function next(state: State, event: VoteEvent, fault: Fault): State {
  switch (event.is) {
    case "lapse":
      return { ...state, isOld: true, approvals: fault === "lapse" ? state.approvals : {} }
    case "quorum":
      return { ...state, quorum: 1 - state.quorum }
    case "restart":
    case "older":
      return state
    case "approve":
      return isFinal(state, fault) ? state : approved(state, event.user, "vote", fault)
    case "body":
      return isFinal(state, fault) ? state : stamped(state, event.user, fault)
    case "reject":
      return isFinal(state, fault) ? state : rejected(state, event.user, fault)
  }
}

function isFinal({ status }: State, fault: Fault): boolean {
  return status !== "waiting" && !(fault === "final" && status === "rejected")
}

function stamped(state: State, user: User, fault: Fault): State {
  if (state.isOld && fault !== "old body") return state
  // Root's own body is its proposal again, and a body that already counts is no new vote.
  if (user === "root" || state.approvals[user] === "body") return state
  return approved(state, user, "body", fault)
}

function approved(state: State, user: User, by: "vote" | "body", fault: Fault): State {
  if (!isMember(state, user) && fault !== "stranger") return state
  if (suffices(state, fault)) return { ...state, status: "completed" }
  if (state.approvals[user] !== undefined && fault !== "twice") return state
  const voted = { ...state, approvals: { ...state.approvals, [user]: by } }
  const isTwice = fault === "twice" && state.approvals[user] !== undefined
  return isTwice || suffices(voted, fault) ? { ...voted, status: "completed" } : voted
}

function rejected(state: State, user: User, fault: Fault): State {
  if (!isMember(state, user) || state.approvals[user] !== undefined || fault === "rejected") return state
  return { ...state, status: "rejected" }
}

export function isMember({ quorum }: State, user: User): boolean {
  return QUORUMS[quorum]!.members.includes(user)
}

function suffices(state: State, fault: Fault): boolean {
  const users = USERS.filter((user) => state.approvals[user] !== undefined)
  const counted =
    fault === "left" || fault === "stranger" ? users : users.filter((user) => isMember(state, user))
  return counted.length >= QUORUMS[state.quorum]!.threshold
}
