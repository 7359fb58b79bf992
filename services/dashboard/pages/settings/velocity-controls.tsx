import { useQuery } from "../../api/data.ts"
import { Empty, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { useCursors } from "../../ui/list.tsx"
import { Pages, Table } from "../../ui/table.tsx"
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
    <Section
      title="Velocity controls"
      aside={
        <button type="button" class="button tight" onClick={() => createVelocityControl()}>
          Create control
        </button>
      }
    >
      <Table<VelocityControl>
        label="Velocity controls"
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
          {
            title: "Actions",
            cell: (control) => (
              <span class="line">
                <button
                  type="button"
                  class="button plain tight"
                  onClick={() => createVelocityControl(control)}
                >
                  Copy <span class="hidden-visually">{control.name}</span>
                </button>
                <button type="button" class="button plain tight" onClick={() => remove(control)}>
                  Delete <span class="hidden-visually">{control.name}</span>
                </button>
              </span>
            ),
          },
        ]}
        rows={shown}
        state={state}
        keyOf={({ velocityControlId }) => velocityControlId}
        empty={
          <Empty sentence="Nothing is counted. A condition can limit amounts and numbers by a control." />
        }
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
    </Section>
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
