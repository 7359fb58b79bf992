import type { ComponentChildren } from "preact"
import { Section } from "./basics.tsx"
import { Table, type TableOf } from "./table.tsx"

/** A section that is one table, with the button that adds a row to it. */
export function ListSection<Row>({
  title,
  verb,
  onAdd,
  above,
  ...table
}: Omit<TableOf<Row>, "label"> & {
  title: string
  verb: string
  /** Undefined while its parameters are not known. */
  onAdd: (() => void) | undefined
  /** Shown between heading and table. */
  above?: ComponentChildren
}) {
  return (
    <Section
      title={title}
      aside={
        <button type="button" class="button tight" disabled={onAdd === undefined} onClick={onAdd}>
          {verb}
        </button>
      }
    >
      {above}
      <Table<Row> label={title} {...table} />
    </Section>
  )
}
