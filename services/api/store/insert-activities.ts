import type { Queries } from "../../database/database.ts"
import type { PackedActivity } from "./activity-row.ts"

type Value = string | number | null

/** A column, its type as a parameter, its value, and how it is written where the parameter has another type. */
type Column = { name: string; type: string; value: (row: PackedActivity) => Value; isBytes?: true }

const COLUMNS: readonly Column[] = [
  { name: "organization_id", type: "uuid", value: (row) => row.organizationId },
  { name: "id", type: "uuid", value: (row) => row.id },
  { name: "fingerprint", type: "text", value: (row) => row.fingerprint, isBytes: true },
  { name: "type", type: "text", value: (row) => row.type },
  { name: "status", type: "text", value: (row) => row.status },
  { name: "user_id", type: "uuid", value: (row) => row.userId },
  { name: "denied_user_id", type: "uuid", value: (row) => row.deniedUserId },
  { name: "result", type: "text", value: (row) => row.result },
  { name: "failure", type: "text", value: (row) => row.failure },
  { name: "contents", type: "text", value: (row) => row.contents, isBytes: true },
  { name: "text_length", type: "integer", value: (row) => row.textLength },
  { name: "created_ms", type: "bigint", value: (row) => row.createdMs },
  { name: "updated_ms", type: "bigint", value: (row) => row.updatedMs },
]

const INTO = `insert into activities (${COLUMNS.map(({ name }) => name).join(", ")})`
const VALUES = COLUMNS.map(({ type, isBytes }, at) => bytesOf(`$${at + 1}::${type}`, isBytes)).join(", ")

/** The statement of one row: most requests come alone, and their row needs no list and no order. */
const ONE_ROW = `${INTO} values (${VALUES})`

/**
 * One row with the sequence of the ledger's transaction. No index is named: a concurrent insert of the same activity may conflict
 * on the id before the fingerprint.
 */
const CHANGE = `insert into activities (${COLUMNS.map(({ name }) => name).join(", ")}, ledger_sequence)
  values (${VALUES}, $${COLUMNS.length + 1}::bigint) on conflict do nothing`

/** The statement of many rows, one list for each column. Sorted, so that concurrent inserts of the same fingerprints lock in the same order. */
const MANY_ROWS = `${INTO}
select ${COLUMNS.map(({ name, isBytes }) => bytesOf(name, isBytes)).join(", ")}
from unnest(${COLUMNS.map(({ type }, at) => `$${at + 1}::text::${type}[]`).join(", ")})
as given (${COLUMNS.map(({ name }) => name).join(", ")}) order by 1, 3, 2`

function bytesOf(text: string, isBytes = false): string {
  return isBytes ? `decode(${text}, 'hex')` : text
}

/** Clauses that follow the rows. */
const ENDINGS = {
  /** An activity's row of the same body stays. */
  ofBody: "on conflict (organization_id, fingerprint, denied_user_id) do nothing",
  none: "",
}

/** Texts are made once: the driver finds a prepared statement by its text. */
const STATEMENTS = {
  ofBody: statementsWith(ENDINGS.ofBody),
  none: statementsWith(ENDINGS.none),
}

function statementsWith(ending: string) {
  return { one: `${ONE_ROW} ${ending}`, many: `${MANY_ROWS} ${ending}` }
}

/**
 * Inserts rows by one prepared statement with one parameter a column.
 * @throws {TypeError} text that is not well-formed
 */
export function insertActivities(
  sql: Queries,
  rows: readonly PackedActivity[],
  ending: keyof typeof ENDINGS = "none",
) {
  const { one, many } = STATEMENTS[ending]
  const [only] = rows
  const isOne = only !== undefined && rows.length === 1
  const values = isOne
    ? COLUMNS.map(({ value }) => wellFormed(value(only)))
    : COLUMNS.map((column) => listOf(rows, column))
  return sql.unsafe(isOne ? one : many, values, { prepare: true })
}

/**
 * Inserts the activity of a change. @param ledgerSequence 0n: unknown. Returns false where its body or its id is stored already.
 * @throws {TypeError} text that is not well-formed
 */
export async function insertChange(
  tx: Queries,
  row: PackedActivity,
  ledgerSequence: bigint,
): Promise<boolean> {
  const values = COLUMNS.map(({ value }) => wellFormed(value(row)))
  const sequence = ledgerSequence > 0n ? ledgerSequence.toString() : null
  const { count } = await tx.unsafe(CHANGE, [...values, sequence], { prepare: true })
  return count === 1
}

/** Encoding as UTF-8 would replace half a surrogate pair by another character. Empty text becomes null: nullable columns never contain it. */
function wellFormed(value: Value): Value {
  if (typeof value !== "string") return value
  if (!value.isWellFormed()) throw new TypeError("a value is not well-formed text")
  return value === "" ? null : value
}

/** Values as the text of a PostgreSQL array. */
function listOf(rows: readonly PackedActivity[], { value: valueOf, isBytes }: Column): string {
  let list = ""
  for (const row of rows) {
    const value = wellFormed(valueOf(row))
    // Bytes are hexadecimal digits, which may be many.
    const element = value === null ? "NULL" : isBytes ? value : elementOf(value)
    list += `${list === "" ? "{" : ","}${element}`
  }
  return `${list}}`
}

/** Letters, digits and hyphens stand for themselves, except in NULL. */
const PLAIN = /^[0-9a-f-]+$/

function elementOf(value: string | number): string {
  if (typeof value === "number" || PLAIN.test(value)) return String(value)
  return `"${value.replace(/["\\]/g, "\\$&")}"`
}
