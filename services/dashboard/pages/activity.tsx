import type { WholeActivityJson } from "../../common/activity-json.ts"
import { useQuery } from "../api/data.ts"
import { nameOf, useOrganization } from "../api/directory.ts"
import { titleOf } from "../../../signer/core/words/labels.ts"
import { ALL_STATUSES, statusOf } from "../words/activity.ts"
import { Ago, Empty, Page } from "../ui/basics.tsx"
import { Choice, useCursors } from "../ui/list.tsx"
import { FromApi } from "../ui/provenance.tsx"
import { RequestLine } from "../ui/request-words.tsx"
import { route, setSearch } from "../ui/route.ts"
import { StatusBadge } from "../ui/status-badge.tsx"
import { type Column, Pages, Table } from "../ui/table.tsx"

const LIMIT = 25

/** Types that people filter by; every other one by the palette or the command line. */
const TYPES = [
  "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
  "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
  "ACTIVITY_TYPE_ETH_SEND_TRANSACTION",
  "ACTIVITY_TYPE_CREATE_WALLET",
  "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
  "ACTIVITY_TYPE_EXPORT_WALLET",
  "ACTIVITY_TYPE_CREATE_USERS_V4",
  "ACTIVITY_TYPE_CREATE_POLICY_V3",
  "ACTIVITY_TYPE_UPDATE_POLICY_V2",
  "ACTIVITY_TYPE_STAMP_LOGIN",
  "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
]

export function ActivityPage() {
  const { search } = route.value
  const [status, type] = [search.get("status") ?? "", search.get("type") ?? ""]
  const { cursors, options, turnTo, reset } = useCursors(LIMIT)
  const state = useQuery<{ activities: WholeActivityJson[] }>("list_activities", {
    ...(status !== "" && { filterByStatus: [status] }),
    ...(type !== "" && { filterByType: [type] }),
    paginationOptions: options,
  })
  const rows = state.data?.activities
  const shown = rows?.slice(0, LIMIT)
  const filter = (changed: { [name: string]: string }) => {
    reset()
    setSearch(changed)
  }
  return (
    <Page
      title="Activity"
      about="Every stamped request, newest first, with its votes and its outcome."
      action={<FromApi />}
    >
      <div class="filters">
        <Choice
          label="Status"
          value={status}
          options={ALL_STATUSES.map((one) => [one, statusOf(one)[0]])}
          onChange={(value) => filter({ status: value })}
        />
        <Choice
          label="Type"
          value={type}
          options={TYPES.map((one) => [one, titleOf(one)])}
          onChange={(value) => filter({ type: value })}
        />
        {(status !== "" || type !== "") && (
          <button type="button" class="button plain" onClick={() => filter({ status: "", type: "" })}>
            Show all
          </button>
        )}
      </div>
      <ActivityTable
        rows={shown}
        state={state}
        empty={<Empty sentence="No activity fits." command="countersign request list_activities" />}
        foot={
          <Pages
            page={cursors.length}
            hasNext={(rows?.length ?? 0) > LIMIT}
            onPage={(page) => turnTo(page, shown?.at(-1)?.id)}
            shown={`Page ${cursors.length + 1}`}
          />
        }
      />
    </Page>
  )
}

export function ActivityTable(part: {
  rows: readonly WholeActivityJson[] | undefined
  state: { error: Error | undefined; reload: () => void }
  empty: preact.ComponentChildren
  foot?: preact.ComponentChildren
  to?: string
}) {
  const { data } = useOrganization()
  const columns: readonly Column<WholeActivityJson>[] = [
    {
      title: "What",
      cell: (activity) => (
        <a href={`/${part.to ?? "activity"}/${activity.id}`}>
          <RequestLine activity={activity} organization={data} />
        </a>
      ),
    },
    {
      title: "By",
      wide: true,
      cell: ({ votes }) =>
        votes[0]?.user?.userName ?? nameOf(data, votes[0]?.userId ?? "") ?? "another organization",
    },
    {
      title: "Status",
      cell: (activity) => <StatusBadge activity={activity} />,
    },
    { title: "When", wide: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ]
  return (
    <Table
      label="Activities"
      stacks
      columns={columns}
      rows={part.rows}
      state={part.state}
      keyOf={({ id }) => id}
      empty={part.empty}
      foot={part.foot}
    />
  )
}
