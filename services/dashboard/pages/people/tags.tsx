import { useState } from "preact/hooks"
import type { ListedOrganization } from "../../api/directory.ts"
import { useUsers } from "../../api/people.ts"
import { Empty } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { manyOf, textOf } from "../../ui/fields.tsx"
import { ListSection } from "../../ui/list-section.tsx"
import { Pages } from "../../ui/table.tsx"

/** Tags that are shown at once: each asks for its users. */
const LIMIT = 10

export function Tags({
  organization,
  state,
}: {
  organization: ListedOrganization | undefined
  state: { error: Error | undefined; reload: () => void }
}) {
  const [page, setPage] = useState(0)
  const tags = organization?.tags.filter(({ tagType }) => tagType === "TAG_TYPE_USER")
  return (
    <ListSection
      title="Tags"
      verb="Create tag"
      onAdd={createTag}
      columns={[
        { title: "Name", cell: ({ tagName }) => <b>{tagName}</b> },
        { title: "Users", cell: ({ tagId }) => <TagUsers tagId={tagId} /> },
      ]}
      rows={tags?.slice(page * LIMIT, (page + 1) * LIMIT)}
      state={state}
      keyOf={({ tagId }) => tagId}
      empty={
        <Empty sentence="There are no tags. Policies can ask for two approvers with a tag, whoever they are." />
      }
      foot={
        <Pages
          page={page}
          hasNext={(tags?.length ?? 0) > (page + 1) * LIMIT}
          onPage={setPage}
          shown={`Page ${page + 1}`}
          words={["Previous", "Next"]}
        />
      }
    />
  )
}

const NAMED = 5

/** The first users with a tag. */
function TagUsers({ tagId }: { tagId: string }) {
  const { data } = useUsers({ userTagId: tagId, paginationOptions: { limit: String(NAMED) } })
  if (data === undefined) return <span class="skeleton cell" />
  const names = data.users.map(({ userName }) => userName).join(", ")
  if (names === "") return <span class="quiet">nobody</span>
  return (
    <span class="wrap">
      {names}
      {data.pageInfo.hasNextPage && <span class="quiet"> and others</span>}
    </span>
  )
}

function createTag(): void {
  openChange({
    title: "Create tag",
    verb: "Create tag",
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    fields: [
      { name: "userTagName", label: "Name" },
      {
        name: "userIds",
        label: "Users",
        kind: "users",
      },
    ],
    parameters: (values) => ({
      userTagName: textOf(values, "userTagName"),
      userIds: manyOf(values, "userIds"),
    }),
  })
}
