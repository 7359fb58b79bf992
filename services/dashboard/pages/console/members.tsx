import { membersOf, type OpenApi, type CallableOperation } from "../../api/operations.ts"
import { Badge, Section } from "../../ui/basics.tsx"
import { Table } from "../../ui/table.tsx"

/** The members of a request, as the API's own document describes them. */
export function Members({ document, operation }: { document: OpenApi; operation: CallableOperation }) {
  const members = membersOf(document, operation)
  return (
    <Section title="Members">
      <Table
        label="Members"
        columns={[
          { title: "Name", cell: ({ name }: (typeof members)[number]) => <b class="mono wrap">{name}</b> },
          { title: "Type", cell: ({ type }) => <span class="wrap">{type}</span> },
          {
            title: "Needed",
            cell: ({ isRequired }) =>
              isRequired ? <Badge icon="check">Required</Badge> : <span class="quiet small">optional</span>,
          },
          ...(members.some(({ about }) => about !== "")
            ? [{ title: "About", wide: true, cell: ({ about }: (typeof members)[number]) => about }]
            : []),
        ]}
        rows={members}
        state={{ error: undefined, reload: () => undefined }}
        keyOf={({ name }) => name}
        empty={<p class="empty">It has no members.</p>}
      />
    </Section>
  )
}
