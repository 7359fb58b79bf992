// Activities that fit filters which the API does not know.
import { useEffect, useState } from "preact/hooks"
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { query } from "../../api/client.ts"
import { changes } from "../../api/data.ts"
import { type ListedOrganization, nameOf } from "../../api/directory.ts"
import { titleOf } from "../../../../signer/core/words/labels.ts"
import { count } from "../../words/time.ts"
import { Empty } from "../../ui/basics.tsx"
import { ActivityTable } from "./table.tsx"
import { type ActivityFilter, findActivities, type Found, queryOf } from "./filter.ts"

const ROWS = 25

/** The list of a search, and a button that reads on. */
export function FoundActivities(part: {
  filter: ActivityFilter
  organization: ListedOrganization | undefined
}) {
  const { filter, organization } = part
  const { found, busy, error, more, reload } = useFound(filter, organization)
  return (
    <ActivityTable
      rows={found?.rows}
      state={{ error, reload }}
      empty={<Empty sentence={`No activity fits. ${scopeOf(found)}`}>{moreButton(found, busy, more)}</Empty>}
      foot={
        <div class="spread card-foot">
          <span class="quiet small" role="status">
            {count(found?.rows.length ?? 0, "activity").replace("activitys", "activities")} found.{" "}
            {scopeOf(found)}
          </span>
          {moreButton(found, busy, more)}
        </div>
      }
    />
  )
}

function scopeOf(found: Found | undefined): string {
  if (found === undefined) return ""
  return found.last === undefined
    ? "All activities of this time were searched."
    : `The last ${found.read} of this kind were searched.`
}

function moreButton(found: Found | undefined, busy: boolean, more: () => void) {
  if (found?.last === undefined) return null
  return (
    <button type="button" class="button tight" disabled={busy} onClick={more}>
      {busy ? "Searching…" : "Search older ones"}
    </button>
  )
}

function useFound(filter: ActivityFilter, organization: ListedOrganization | undefined) {
  const [found, setFound] = useState<Found | undefined>(undefined)
  const [error, setError] = useState<Error | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const [turn, setTurn] = useState(0)
  const isKnown = organization !== undefined
  const readOn = async (before: Found | undefined): Promise<Found> => {
    const next = await findActivities(filter, before?.last, ROWS, await toolsFor(filter, organization))
    const rows = [...(before?.rows ?? []), ...next.rows]
    return { rows, read: (before?.read ?? 0) + next.read, last: next.last }
  }
  const version = changes.value
  useEffect(() => {
    if (!isKnown) return undefined
    let isCurrent = true
    setFound(undefined)
    setError(undefined)
    readOn(undefined).then(
      (first) => isCurrent && setFound(first),
      (caught: unknown) => isCurrent && setError(caught as Error),
    )
    return () => {
      isCurrent = false
    }
  }, [JSON.stringify(filter), isKnown, turn, version])
  const more = () => {
    setBusy(true)
    readOn(found)
      .then(setFound, (caught: unknown) => setError(caught as Error))
      .finally(() => setBusy(false))
  }
  return { found, error, busy, more, reload: () => setTurn(turn + 1) }
}

/** A text is searched in the words of each request, as the signer reads its stamped bytes. */
async function toolsFor(filter: ActivityFilter, organization: ListedOrganization | undefined) {
  const { requestOf, wordsOfRequest } = await import("../../api/request-words.ts")
  const name = (id: string) => nameOf(organization, id)
  return {
    read: async (limit: number, after: string | undefined) => {
      const paginationOptions = { limit: String(limit), ...(after !== undefined && { after }) }
      const { activities } = await query<{ activities: WholeActivityJson[] }>("list_activities", {
        ...queryOf(filter),
        paginationOptions,
      })
      return activities
    },
    wordsOf: (activity: WholeActivityJson) => {
      const request = requestOf(activity)
      const words = request === undefined ? "" : wordsOfRequest(request, { nameOf: name }).sentence
      const people = activity.votes.map(({ user, userId }) => user?.userName ?? name(userId) ?? userId)
      return [titleOf(activity.type), words, ...people, activity.id, activity.fingerprint].join(" ")
    },
  }
}
