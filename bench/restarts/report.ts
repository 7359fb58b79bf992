import { type RestartsPlan, POOL_SIZE, PROBES, type RestartsRun } from "./run.ts"

export const TITLE = "Results of `npm run bench -- restarts`"

export type RestartsVerdict = { name: string; value: number; bound: number; reached: boolean }

/** Bounds after a restart of the database: nothing may be lost. */
export function judge({ rows, repeated, servedAgain, end }: RestartsRun): RestartsVerdict[] {
  const total = (count: (row: RestartsRun["rows"][number]) => number) =>
    rows.reduce((sum, row) => sum + count(row), 0)
  return [
    equal(
      "requests served right after a restart",
      total((row) => row.probesServed),
      PROBES * rows.length,
    ),
    equal(
      "requests answered neither 200 nor 503",
      total((row) => row.other),
      0,
    ),
    equal("requests served when they were sent again", servedAgain, repeated),
    equal("open connections of the pool at the end", end.open, POOL_SIZE),
    equal("connections lost to their pool", total((row) => row.lost) + end.lost, 0),
  ]
}

/** The section of RESULTS.md. */
export function writeReport(date: string, { restarts, callers }: RestartsPlan, run: RestartsRun): string {
  return [
    `# ${TITLE}`,
    "",
    `${date}: ${restarts} restarts of PostgreSQL under signatures and new wallets of ${callers} callers.`,
    "",
    table(
      ["", "counted", "bound", ""],
      judge(run).map(({ name, value, bound, reached }) => [
        name,
        value,
        bound,
        reached ? "reached" : "missed",
      ]),
    ),
    "",
    `${run.repeated} requests were answered 503 and sent again. In the table, *served* and *503* are the requests of the callers since`,
    "the restart before.",
    "",
    table(
      ["restart", "served", "503", "other", `served of ${PROBES} afterwards`, "open connections", "lost"],
      run.rows.map(({ served, unavailable, other, probesServed, open, lost }, index) => [
        index + 1,
        served,
        unavailable,
        other,
        probesServed,
        open,
        lost,
      ]),
    ),
    "",
  ].join("\n")
}

function equal(name: string, value: number, bound: number): RestartsVerdict {
  return { name, value, bound, reached: value === bound }
}

function table(head: readonly string[], body: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}
