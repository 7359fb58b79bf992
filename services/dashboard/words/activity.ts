// Statuses and paths of activities.

const VERSION = /_V\d+$/

/** The path of submit operations that takes a type: the type without its version. */
export function pathOf(type: string): string {
  return type.replace("ACTIVITY_TYPE_", "").replace(VERSION, "").toLowerCase()
}

export type Tone = "good" | "warn" | "bad" | ""

const STATUSES: { readonly [status: string]: readonly [word: string, tone: Tone] } = {
  ACTIVITY_STATUS_CREATED: ["Created", ""],
  ACTIVITY_STATUS_PENDING: ["Pending", ""],
  ACTIVITY_STATUS_COMPLETED: ["Completed", "good"],
  ACTIVITY_STATUS_FAILED: ["Refused", "bad"],
  ACTIVITY_STATUS_CONSENSUS_NEEDED: ["Waits for approval", "warn"],
  ACTIVITY_STATUS_REJECTED: ["Rejected", "bad"],
  ACTIVITY_STATUS_AUTHENTICATORS_NEEDED: ["Waits for a factor", "warn"],
}

export function statusOf(status: string): readonly [word: string, tone: Tone] {
  return STATUSES[status] ?? [status, ""]
}

/** Statuses in which an activity waits for somebody. */
export const WAITING = ["ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"]
export const ALL_STATUSES = Object.keys(STATUSES)
