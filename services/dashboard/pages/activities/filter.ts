// Filters of the list of activities. The published query filters by status and type; person, time and text are compared here, over
// pages that are read until a page of the list is full.
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { msOf } from "../../words/time.ts"

export type ActivityFilter = {
  status: string
  type: string
  /** Id of a user who voted on the activity; its first vote is its submitter's. */
  person: string
  /** Days in the browser's time, "2026-01-31", both included. */
  from: string
  until: string
  text: string
}

export const NO_FILTER: ActivityFilter = { status: "", type: "", person: "", from: "", until: "", text: "" }

/** True if the API's own filters do not suffice. */
export const isComparedHere = ({ person, from, until, text }: ActivityFilter): boolean =>
  person !== "" || from !== "" || until !== "" || text.trim() !== ""

/** Members of the query that the API knows. */
export const queryOf = ({ status, type }: ActivityFilter) => ({
  ...(status !== "" && { filterByStatus: [status] }),
  ...(type !== "" && { filterByType: [type] }),
})

const DAY_MS = 86_400_000

/** The first moment of a day in the browser's time; NaN for a text that is no day. */
const startOf = (day: string) => Date.parse(`${day}T00:00:00`)

/** True if an activity was made before the first day asked for: those after it in the list were, too. */
function isBefore({ createdAt }: WholeActivityJson, { from }: ActivityFilter): boolean {
  return from !== "" && msOf(createdAt) < startOf(from)
}

/** @param wordsOf the activity in words, as the list shows it */
function fits(
  activity: WholeActivityJson,
  { person, from, until, text }: ActivityFilter,
  wordsOf: (activity: WholeActivityJson) => string,
): boolean {
  const madeMs = msOf(activity.createdAt)
  if (from !== "" && madeMs < startOf(from)) return false
  if (until !== "" && madeMs >= startOf(until) + DAY_MS) return false
  if (person !== "" && activity.votes.every(({ userId }) => userId !== person)) return false
  const wanted = text.trim().toLowerCase()
  return wanted === "" || wordsOf(activity).toLowerCase().includes(wanted)
}

/** Activities that one search reads, at most. */
export const MAX_READ = 1000
const PAGE = 100

export type Found = {
  rows: readonly WholeActivityJson[]
  /** Number of activities that were read for them. */
  read: number
  /** Id of the last activity read; undefined: there is none after it. */
  last: string | undefined
}

/**
 * Reads on after an activity until enough fit.
 * @param read a page of the list after an activity
 */
export async function findActivities(
  filter: ActivityFilter,
  after: string | undefined,
  wanted: number,
  tools: {
    read: (limit: number, after: string | undefined) => Promise<readonly WholeActivityJson[]>
    wordsOf: (activity: WholeActivityJson) => string
  },
): Promise<Found> {
  const rows: WholeActivityJson[] = []
  let last = after
  for (let read = 0; read < MAX_READ; ) {
    const page = await tools.read(PAGE, last)
    for (const activity of page) {
      if (isBefore(activity, filter)) return { rows, read, last: undefined }
      read += 1
      last = activity.id
      if (fits(activity, filter, tools.wordsOf)) rows.push(activity)
      if (rows.length === wanted) return { rows, read, last }
    }
    if (page.length < PAGE) return { rows, read, last: undefined }
  }
  return { rows, read: MAX_READ, last }
}
