import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useEffect, useState } from "preact/hooks"
import { useQuery } from "../api/data.ts"
import { useOrganization } from "../api/directory.ts"
import { Empty, Page } from "../ui/basics.tsx"
import { useCursors, useSettled } from "../ui/list.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { route, setSearch } from "../ui/route.ts"
import { Pages } from "../ui/table.tsx"
import { type ActivityFilter, isComparedHere, NO_FILTER, queryOf } from "./activities/filter.ts"
import { ActivityFilters } from "./activities/filters.tsx"
import { FoundActivities } from "./activities/found.tsx"
import { ActivityTable } from "./activities/table.tsx"

const LIMIT = 25

/** The filter of the page's address. */
function filterOf(search: URLSearchParams): ActivityFilter {
  const entries = Object.keys(NO_FILTER).map((name) => [name, search.get(name) ?? ""])
  return Object.fromEntries(entries) as ActivityFilter
}

export function ActivityPage() {
  const { data: organization } = useOrganization()
  const filter = filterOf(route.value.search)
  const [text, setText] = useState(filter.text)
  const settled = useSettled(text)
  useEffect(() => setSearch({ text: settled }), [settled])
  const showAll = () => {
    setText("")
    setSearch({ ...NO_FILTER })
  }
  return (
    <Page
      title="Activity"
      about="Every stamped request, newest first, with its votes and its outcome."
      action={<FromApi />}
    >
      <ActivityFilters filter={{ ...filter, text }} set={setSearch} setText={setText} showAll={showAll} />
      {isComparedHere(filter) ? (
        <FoundActivities filter={filter} organization={organization} />
      ) : (
        <AllActivities key={`${filter.status} ${filter.type}`} filter={filter} showAll={showAll} />
      )}
    </Page>
  )
}

/** The list as the API filters it, a page at a time. */
function AllActivities({ filter, showAll }: { filter: ActivityFilter; showAll: () => void }) {
  const { cursors, options, turnTo } = useCursors(LIMIT)
  const state = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    ...queryOf(filter),
    paginationOptions: options,
  })
  const rows = state.data?.activities
  const shown = rows?.slice(0, LIMIT)
  return (
    <ActivityTable
      rows={shown}
      state={state}
      empty={
        <Empty sentence="No activity fits." command="countersign request list_activities">
          <button type="button" class="button" onClick={showAll}>
            Show all activities
          </button>
        </Empty>
      }
      foot={
        <Pages
          page={cursors.length}
          hasNext={(rows?.length ?? 0) > LIMIT}
          onPage={(page) => turnTo(page, shown?.at(-1)?.id)}
          shown={`Page ${cursors.length + 1}`}
        />
      }
    />
  )
}
