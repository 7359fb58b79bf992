import { type Json, memberAt } from "../../terminal-client/json.ts"
import { terminalWidth } from "../../terminal-client/terminal.ts"
import type { Columns } from "../resources/resource.ts"

/** Space between two columns. */
const GAP = "  "

/**
 * A table of lines, its columns as wide as their longest text. The heading is in capitals, as in other programs. Where the
 * terminal is narrower than the table, each item is a block of lines instead.
 *
 * @param width columns of the terminal; undefined: there is none, or it is not known
 */
export function tableOf(
  items: readonly Json[],
  shown: Columns,
  width: number | undefined = terminalWidth(),
): string[] {
  const columns = Object.entries(shown)
  const rows = [
    columns.map(([heading]) => heading.toUpperCase()),
    ...items.map((item) => columns.map(([, member]) => cellOf(item, member))),
  ]
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const whole = widths.reduce((sum, one) => sum + one + GAP.length, 0) - GAP.length
  if (width !== undefined && whole > width && columns.length > 1) return blocksOf(rows)
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(GAP)
      .trimEnd(),
  )
}

/** `NAME  alice` and a line for each further column; items are separated by an empty line. */
function blocksOf([headings = [], ...rows]: readonly (readonly string[])[]): string[] {
  const widest = Math.max(...headings.map(({ length }) => length))
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [""]),
    ...row.flatMap((cell, column) =>
      cell === "" ? [] : [`${(headings[column] ?? "").padEnd(widest)}${GAP}${cell}`],
    ),
  ])
}

function cellOf(item: Json, member: Columns[string]): string {
  const value = typeof member === "string" ? memberAt(item, member) : member(item)
  return value === undefined || value === null ? "" : plainText(value)
}

/** Facts of an object: a line a member, members of members indented below it. */
export function factLines(value: Json, indent = ""): string[] {
  const members = Object.entries(value).filter(([, member]) => !isEmpty(member))
  const width = Math.max(0, ...members.filter(([, member]) => isPlain(member)).map(([name]) => name.length))
  return members.flatMap(([name, member]) => {
    if (isPlain(member)) return [`${indent}${name.padEnd(width)}  ${plainText(member)}`]
    const items = Array.isArray(member) ? (member as unknown[]) : [member]
    return items.flatMap((item) => [`${indent}${name}`, ...factLines(item as Json, `${indent}  `)])
  })
}

function isPlain(value: unknown): boolean {
  if (timeText(value) !== undefined) return true
  if (Array.isArray(value)) return value.every((item) => typeof item !== "object" || item === null)
  return typeof value !== "object" || value === null
}

function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(", ")
  return timeText(value) ?? String(value)
}

/** RFC 3339 of a timestamp as published clients read it: seconds and nanoseconds. */
function timeText(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("seconds" in value && "nanos" in value))
    return undefined
  const ms = Number(value.seconds) * 1000 + Math.floor(Number(value.nanos) / 1_000_000)
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true
  return typeof value === "object" && Object.keys(value).length === 0
}
