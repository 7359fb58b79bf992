import { useQuery } from "../../api/data.ts"
import { Empty } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { useCursors } from "../../ui/list.tsx"
import { ListSection } from "../../ui/list-section.tsx"
import { actsColumn } from "../../ui/row-menu.tsx"
import { Pages } from "../../ui/table.tsx"
import { copyOrDelete } from "./unchanging.tsx"
import { createVelocityControl } from "./velocity-form.tsx"
import { countedBy, limitOf, type VelocityControl } from "./velocity-terms.ts"

const LIMIT = 10

/** Controls that count what activities do. Conditions of policies read them. A control never changes. */
export function VelocityControls() {
  const { cursors, options, turnTo } = useCursors(LIMIT)
  const state = useQuery<{ velocityControls: VelocityControl[] }>("list_velocity_controls", {
    paginationOptions: options,
  })
  const controls = state.data?.velocityControls
  const shown = controls?.slice(0, LIMIT)
  return (
    <ListSection<VelocityControl>
      title="Velocity controls"
      verb="Create control"
      onAdd={() => createVelocityControl()}
      columns={[
        {
          title: "Name",
          cell: ({ name, identifier }) => (
            <span class="stack-0">
              <b>{name}</b>
              <code class="small wrap">controls.{identifier}</code>
            </span>
          ),
        },
        { title: "True while", cell: (control) => limitOf(control) },
        {
          title: "Counts",
          wide: true,
          cell: ({ dataSource }) => <span class="wrap">{countedBy(dataSource)}</span>,
        },
        actsColumn(
          ({ name }) => name,
          (control) =>
            copyOrDelete(
              () => createVelocityControl(control),
              () => remove(control),
            ),
        ),
      ]}
      rows={shown}
      state={state}
      keyOf={({ velocityControlId }) => velocityControlId}
      empty={<Empty sentence="Nothing is counted. A condition can limit amounts and numbers by a control." />}
      foot={
        <Pages
          page={cursors.length}
          hasNext={(controls?.length ?? 0) > LIMIT}
          onPage={(to) => turnTo(to, shown?.at(-1)?.velocityControlId)}
          shown={`Page ${cursors.length + 1}`}
          words={["Previous", "Next"]}
        />
      }
    />
  )
}

function remove({ velocityControlId, name, identifier }: VelocityControl): void {
  openChange({
    title: "Delete velocity control",
    verb: "Delete control",
    type: "ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL",
    grave: {
      loses: `What it has counted is lost. It is not deleted while a condition reads controls.${identifier}.`,
      name,
    },
    parameters: () => ({ velocityControlId }),
  })
}
