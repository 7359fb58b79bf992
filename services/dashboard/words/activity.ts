// Statuses and paths of activities.

const VERSION = /_V\d+$/

/** The path of submit operations that takes a type: the type without its version. */
export function pathOf(type: string): string {
  return type.replace("ACTIVITY_TYPE_", "").replace(VERSION, "").toLowerCase()
}

export type Tone = "good" | "warn" | "bad" | ""

const STATUSES: { readonly [status: string]: readonly [word: string, tone: Tone, why: string] } = {
  ACTIVITY_STATUS_CREATED: ["Created", "", "The API has recorded the request. Nothing has decided it yet."],
  ACTIVITY_STATUS_PENDING: ["Pending", "", "The request is being carried out."],
  ACTIVITY_STATUS_COMPLETED: ["Completed", "good", "The signer allowed the request and carried it out."],
  ACTIVITY_STATUS_FAILED: [
    "Refused",
    "bad",
    "The signer refused the request, or it could not be carried out. Its page has the reason.",
  ],
  ACTIVITY_STATUS_CONSENSUS_NEEDED: [
    "Waits for approval",
    "warn",
    "A policy allows the request once more users have approved it. Votes count for a day.",
  ],
  ACTIVITY_STATUS_REJECTED: ["Rejected", "bad", "Users who may decide the request voted against it."],
  ACTIVITY_STATUS_AUTHENTICATORS_NEEDED: [
    "Waits for a factor",
    "warn",
    "An MFA policy asks a user who voted for a further credential.",
  ],
}

export function statusOf(status: string): readonly [word: string, tone: Tone, why?: string] {
  return STATUSES[status] ?? [status, ""]
}

/** Statuses in which an activity waits for somebody. */
export const WAITING = ["ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"]
export const ALL_STATUSES = Object.keys(STATUSES)
