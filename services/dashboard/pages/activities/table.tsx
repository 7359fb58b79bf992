// Activities in a table: what they do, who asked, how they ended.
import type { ComponentChildren } from "preact"
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { nameOf, useOrganization } from "../../api/directory.ts"
import { Ago } from "../../ui/basics.tsx"
import { RequestLine } from "../../ui/request-words.tsx"
import { StatusBadge } from "../../ui/status-badge.tsx"
import { type Column, Table } from "../../ui/table.tsx"

export function ActivityTable(part: {
  rows: readonly WholeActivityJson[] | undefined
  state: { error: Error | undefined; reload: () => void }
  empty: ComponentChildren
  foot?: ComponentChildren
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
      cell: ({ votes }) =>
        votes[0]?.user?.userName ?? nameOf(data, votes[0]?.userId ?? "") ?? "another organization",
    },
    {
      title: "Status",
      cell: (activity) => <StatusBadge activity={activity} />,
    },
    { title: "When", cell: ({ createdAt }) => <Ago time={createdAt} /> },
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
