import { machineText } from "../machine.ts"
import { spreadOf, writeNumber, writeSpread } from "../spread.ts"
import { ACTIVITIES, USERS } from "./large-lists.ts"
import type { DashboardRun, DashboardPlan } from "./run.ts"

export const TITLE = "Results of `npm run bench -- dashboard`"

/** The first page usable, with an empty cache. */
const MOST_FIRST_MS = 1000
/** Scripts of a page without the editor of policies, compressed. */
const MOST_SCRIPT_KB = 200
const EDITOR = "/policies/new"

type Verdict = { name: string; value: number; most: number; reached: boolean }

export function judge({ pages }: Pick<DashboardRun, "pages">): Verdict[] {
  const [first] = pages
  const largest = Math.max(
    ...pages.filter(({ path }) => path !== EDITOR).map(({ scriptBytes }) => scriptBytes),
  )
  return [
    atMost("first page usable with an empty cache, ms", spreadOf(first?.coldMs ?? [])?.median, MOST_FIRST_MS),
    atMost("scripts of the largest page without the editor, kB", largest / 1000, MOST_SCRIPT_KB),
  ]
}

/** The section of RESULTS.md. */
export function writeReport(date: string, plan: DashboardPlan, run: DashboardRun): string {
  const { machine, pages, lists } = run
  return [
    `# ${TITLE}`,
    "",
    `${date}: each page opened ${plan.rounds} times in Chromium against a development system, until it shows its data. ` +
      "Median [min–max], in milliseconds; sizes in kB, compressed by gzip.",
    "",
    `${machineText(machine)}.`,
    "",
    table(
      ["", "measured", "at most", ""],
      judge(run).map(({ name, value, most, reached }) => [
        name,
        writeNumber(value),
        String(most),
        reached ? "reached" : "missed",
      ]),
    ),
    "",
    table(
      ["page", "empty cache", "again", "scripts", "styles"],
      pages.map(({ path, coldMs, warmMs, scriptBytes, styleBytes }) => [
        `\`${path}\``,
        times(coldMs),
        times(warmMs),
        writeNumber(scriptBytes / 1000),
        writeNumber(styleBytes / 1000),
      ]),
    ),
    "",
    table(
      ["list", "ms"],
      [
        [`${ACTIVITIES.toLocaleString("en")} activities: first page`, times(lists.activitiesMs)],
        ["the next page", times(lists.nextPageMs)],
        [`${USERS.toLocaleString("en")} users: first page`, times(lists.usersMs)],
        ["a search among them", times(lists.searchMs)],
      ],
    ),
    "",
  ].join("\n")
}

function times(values: readonly number[]): string {
  const spread = spreadOf(values)
  return spread === undefined ? "–" : writeSpread(spread)
}

function atMost(name: string, value = Number.NaN, most: number): Verdict {
  return { name, value, most, reached: value <= most }
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}
