import type { Claim, Explained } from "./claims.ts"
import type { TapResults } from "./tap-results.ts"

/** The tests of promises: those that their claims name, and those whose titles begin with their ids. */
export type Figure = Explained & {
  claims: number
  tests: number
  passed: number
  skipped: number
  checks: number
  /** "file: title" of tests that failed, or that a claim names and that did not run. */
  faults: string[]
}

export function figuresOf(
  claims: readonly Claim[],
  explained: readonly Explained[],
  results: TapResults,
): Figure[] {
  return explained.map(({ promises, meaning }) => {
    const own = claims.filter(({ promise }) => promises.includes(promise))
    const named = own.flatMap((claim) =>
      claim.tests.flatMap((test) => {
        const written = results.written(test.file, test.title)
        return written.length > 0 ? written : [test]
      }),
    )
    const all = [...named, ...promises.flatMap((id) => results.tagged(id))]
    const tests = new Map(all.map((test) => [`${test.file}: ${test.title}`, test]))
    const figure: Figure = { promises, meaning, claims: own.length, tests: tests.size, ...NONE, faults: [] }
    for (const [name, test] of tests) {
      const ended = results.test(test)
      if (ended === undefined && results.isSkipped(test.file)) figure.skipped += 1
      else if (ended === undefined || !ended.passed)
        figure.faults.push(`${name}${ended ? "" : " (did not run)"}`)
      else if (ended.skipped) figure.skipped += 1
      else figure.passed += 1
      figure.checks += ended?.checks ?? 0
    }
    return figure
  })
}

const NONE = { passed: 0, skipped: 0, checks: 0 }

/** How a program beside the tests ended. `figure`: what it counted; "not run" where it did not run. */
export type Measured = { name: string; command: string; figure: string; isFault: boolean }

export type Run = { tier: string; commit: string; day: string; machine: string; minutes: number }

/** The section of docs/ASSURANCE.md. */
export function sectionOf(run: Run, figures: readonly Figure[], measured: readonly Measured[]): string {
  const { tier, commit, day, machine, minutes } = run
  const rows = figures.map(
    ({ promises, meaning, claims, tests, passed, skipped, checks }) =>
      `| ${promises.join(", ")} | ${meaning} | ${claims} | ${passed} of ${tests}${skipped > 0 ? `, ${skipped} skipped` : ""} | ${checks} |`,
  )
  return [
    `Written by \`npm run assure -- --tier ${tier}\` on ${day}, commit ${commit}, in ${minutes} minutes, on ${machine}. A promise has the tests that`,
    "[its claims](THREAT_MODEL.md#all-claims) name and those whose titles begin with its id; a test of several promises counts for each.",
    "",
    "| promise | meaning | claims | tests passed | checks |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    "| program | figure |",
    "|---|---|",
    ...measured.map(({ command, figure }) => `| \`${command}\` | ${figure} |`),
    "",
  ].join("\n")
}

const HEADING = "## Every promise with its figure"

/** The document with this section, which replaces the earlier one. */
export function withSection(document: string, section: string): string {
  const [before = "", rest = ""] = document.split(`${HEADING}\n`)
  const next = rest.indexOf("\n## ")
  const after = next < 0 ? "" : rest.slice(next + 1)
  return `${before.trimEnd()}\n\n${HEADING}\n\n${section}${after === "" ? "" : `\n${after}`}`
}
