import { databaseBytes } from "./sizes.ts"
import { type GrowthRun, SIGNATURE } from "./run.ts"

export const TITLE = "Results of `npm run bench -- growth`"

/** Bytes of the database that a signature may take. */
const MOST_SIGNATURE_BYTES = 1_000

export type GrowthVerdict = { name: string; value: number; bound: string; reached: boolean }

export function judge({ things }: GrowthRun): GrowthVerdict[] {
  return things
    .filter(({ name }) => name === SIGNATURE)
    .map(({ growth }) => {
      const value = databaseBytes(growth)
      const name = "bytes of the database for a signature"
      return { name, value, bound: `≤ ${MOST_SIGNATURE_BYTES}`, reached: value <= MOST_SIGNATURE_BYTES }
    })
}

/** The section of RESULTS.md. */
export function writeReport(date: string, run: GrowthRun): string {
  const rows = run.things.map(({ name: thing, count, growth }) => [
    thing,
    whole(count),
    whole(databaseBytes(growth)),
    Object.entries(growth.tables)
      .map(([name, bytes]) => `${name} ${whole(bytes)}`)
      .join(", "),
    whole(growth.ledger),
  ])
  const verdicts = judge(run).map(
    ({ name, value, bound, reached }) =>
      `${name}: ${whole(value)}, ${bound}: ${reached ? "reached" : "missed"}.`,
  )
  return [
    `# ${TITLE}`,
    "",
    `${date}: bytes for each one, tables with their indexes.`,
    "",
    table(["", "count", "database", "tables", "ledger"], rows),
    "",
    ...verdicts,
    "",
  ].join("\n")
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en")
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}
