import type { ComponentChildren } from "preact"
import type { Loaded } from "../api/data.ts"
import { Fault } from "./basics.tsx"

export type Column<Row> = {
  title: string
  cell: (row: Row) => ComponentChildren
  /** Hidden on narrow screens. */
  wide?: boolean
  /** The menu of each row: as narrow as its button, and without a visible heading. */
  isMenu?: boolean
  /** Numbers stand below each other. */
  isNumber?: boolean
}

export type TableOf<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  state: Pick<Loaded<unknown>, "error" | "reload">
  keyOf: (row: Row) => string
  empty: ComponentChildren
  foot?: ComponentChildren
  /** On a telephone each row is a block: its first cell above the others. For rows whose first cell is long. */
  stacks?: boolean
}

/** A table of rows, its skeleton while they load, and the reason where they cannot. */
export function Table<Row>(part: TableOf<Row>) {
  const { columns, rows, state } = part
  if (state.error) return <Fault error={state.error} retry={state.reload} />
  if (rows?.length === 0) return <div class="card flush">{part.empty}</div>
  return (
    <div class="card flush">
      <div class="table-wrap">
        <table class={part.stacks ? "stacks" : ""} aria-label={part.label} aria-busy={rows === undefined}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.title} scope="col" class={classOf(column)}>
                  <span class={column.isMenu ? "hidden-visually" : ""}>{column.title}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows?.map((row) => (
              <tr key={part.keyOf(row)} data-link>
                {columns.map((column) => (
                  <td key={column.title} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            )) ?? <SkeletonRows columns={columns} />}
          </tbody>
        </table>
      </div>
      {part.foot}
    </div>
  )
}

const classOf = ({ wide, isMenu, isNumber }: Pick<Column<never>, "wide" | "isMenu" | "isNumber">) =>
  [wide && "wide", isMenu && "acts", isNumber && "number"].filter(Boolean).join(" ")

function SkeletonRows<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <>
      {Array.from({ length: 5 }, (_, row) => (
        <tr key={row}>
          {columns.map((one, column) => (
            <td key={one.title} class={classOf(one)}>
              <span class="skeleton" style={{ width: `${40 + ((row * 17 + column * 29) % 45)}%` }} />
            </td>
          ))}
        </tr>
      ))}
    </>
  )
}

/** Buttons to the next and to the previous page of a list. */
export function Pages(part: {
  page: number
  hasNext: boolean
  onPage: (page: number) => void
  shown: string
  /** Words of the buttons, where the newest does not come first. */
  words?: readonly [before: string, after: string]
}) {
  const { page, hasNext, onPage, words = ["Newer", "Older"] } = part
  if (page === 0 && !hasNext) return null
  return (
    <nav class="spread card-foot" aria-label="Parts of the list">
      <span class="quiet small" role="status">
        {part.shown}
      </span>
      <span class="line">
        <button type="button" class="button tight" disabled={page === 0} onClick={() => onPage(page - 1)}>
          {words[0]}
        </button>
        <button type="button" class="button tight" disabled={!hasNext} onClick={() => onPage(page + 1)}>
          {words[1]}
        </button>
      </span>
    </nav>
  )
}
