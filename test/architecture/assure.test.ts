// `npm run assure` finds the tests of each promise in the threat model and in the output of a run.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { claimsOf, explainedIn } from "../../scripts/assure/claims.ts"
import { figuresOf, sectionOf, withSection } from "../../scripts/assure/figures.ts"
import { TapResults } from "../../scripts/assure/tap-results.ts"
import { ROOT } from "../../scripts/run.ts"
import { textOf } from "../docs/markdown.ts"

const MODEL = `
#### A1-forged

- \`test/one.test.ts\` "A1: a forged one is refused"
- \`test/two.test.ts\` "never ran"
- \`test/one.test.ts\` "is \${refused} (again)"
- \`test/shared/cases.ts\` "a case of another file"
- \`test/shared/cases.ts\` "a case of a kind"
- \`test/long.test.ts\` "within a test that was skipped"
- \`test/hostile/debugger.test.ts\` "runs alone"

#### P1-proof

- \`test/one.test.ts\` "skipped"

### Ids

- \`A1\`: only the current one
  counts.
- \`P1\`, \`P2\`: a lie is seen.
`

const TAP = `TAP version 14
# Subtest: .tap/groups/1/01.test.ts
    # Subtest: test/one.test.ts
        # Subtest: A1: a forged one is refused
            ok 1 - equal
            # Subtest: nested
                ok 1 - equal
                ok 2 - equal
                1..2
            ok 2 - nested # time=1ms
            1..2
        ok 1 - A1: a forged one is refused # time=2ms

        # Subtest: nesting
            # Subtest: is refused here (again)
                ok 1 - equal
                1..1
            ok 1 - is refused here (again) # time=1ms
            # Subtest: a case of another file
                ok 1 - equal
                1..1
            ok 2 - a case of another file # time=1ms
            # Subtest: first: a case of a kind
                ok 1 - equal
                1..1
            ok 3 - first: a case of a kind # time=1ms
            1..3
        ok 2 - nesting # time=1ms

        # Subtest: skipped
        ok 3 - skipped # SKIP no browser
        1..3
    ok 1 - test/one.test.ts # time=3ms
ok 1 - .tap/groups/1/01.test.ts # time=4ms
# Subtest: test/long.test.ts
    # Subtest: hosts
    ok 1 - hosts # SKIP in the long form
    1..1
ok 4 - test/long.test.ts # time=1ms
# Subtest: .tap/groups/1/07-test-hostile-debugger.test.ts
    # Subtest: runs alone
        ok 1 - equal
        1..1
    ok 1 - runs alone # time=1ms
    1..1
ok 2 - .tap/groups/1/07-test-hostile-debugger.test.ts # time=1ms
# Subtest: test/three.test.ts
    # Subtest: A1: another
        not ok 1 - equal
        1..1
    not ok 1 - A1: another # time=2ms
    1..1
not ok 3 - test/three.test.ts # time=3ms
`

/** Read in pieces, as a stream comes. */
function resultsOf(tap: string): TapResults {
  const results = new TapResults()
  for (let at = 0; at < tap.length; at += 7) results.read(tap.slice(at, at + 7))
  return results
}

t.test("the tests of a promise are counted, and one that failed or did not run is a fault", async (t) => {
  const figures = figuresOf(claimsOf(MODEL), explainedIn(MODEL), resultsOf(TAP))
  t.strictSame(figures, [
    {
      promises: ["A1"],
      meaning: "only the current one counts.",
      claims: 1,
      tests: 8,
      passed: 5,
      skipped: 1,
      checks: 8,
      faults: ["test/two.test.ts: never ran (did not run)", "test/three.test.ts: A1: another"],
    },
    {
      promises: ["P1", "P2"],
      meaning: "a lie is seen.",
      claims: 1,
      tests: 1,
      passed: 0,
      skipped: 1,
      checks: 0,
      faults: [],
    },
  ])
  const run = { tier: "commit", commit: "abc", day: "2026-01-01", machine: "one", minutes: 3 }
  const measured = [{ name: "sweep", command: "npm run sweep", figure: "not run", isFault: false }]
  const section = sectionOf(run, figures, measured)
  t.match(section, "| A1 | only the current one counts. | 1 | 5 of 8, 1 skipped | 8 |")
  t.match(section, "| P1, P2 | a lie is seen. | 1 | 0 of 1, 1 skipped | 0 |")
  t.match(section, "| `npm run sweep` | not run |")
  const first = withSection("# T\n\n## Other\n\ntext\n", section)
  t.equal(withSection(first, section), first, "a second run replaces the section")
  const between = "# T\n\n## Every promise with its figure\n\nold\n\n## Other\n\ntext\n"
  t.match(
    withSection(between, section),
    /^# T\n\n## Every promise with its figure\n\nWritten [\s\S]+\n\n## Other\n\ntext\n$/,
  )
})

t.test("the threat model's claims are all found, each with a test in a file that exists", async (t) => {
  const text = textOf("docs/THREAT_MODEL.md")
  const claims = claimsOf(text)
  t.equal(claims.length, text.match(/^#### /gm)?.length)
  const untested = claims.filter(({ tests }) => tests.length === 0)
  t.strictSame(untested, [])
  const files = new Set(claims.flatMap(({ tests }) => tests.map(({ file }) => file)))
  t.strictSame(
    [...files].filter((file) => !existsSync(join(ROOT, file))),
    [],
  )
  const listed = new Set(explainedIn(text).flatMap(({ promises }) => promises))
  t.strictSame(
    claims.filter(({ promise }) => !listed.has(promise)),
    [],
  )
})

t.test("an unknown tier is refused", async (t) => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/assure.ts", "--tier", "full"], {
    cwd: ROOT,
    encoding: "utf8",
  })
  t.equal(status, 2)
  t.match(stderr, '--tier: unknown tier "full"; use one of commit, deep, release')
})
