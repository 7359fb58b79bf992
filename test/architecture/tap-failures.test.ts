import t from "tap"
import { Failures } from "../../scripts/tap-failures.ts"

const OUTPUT = `# Subtest: test/a.test.ts
    # Subtest: sums
        ok 1 - should be equal
        not ok 2 - should be equal
          ---
          diff: |
            -1
            +2
          ...
        ok 3 - should be equal
        1..3
    not ok 1 - sums # time=2ms
    not ok 2 - later # TODO
    ok 3 - none # SKIP
not ok 1 - test/a.test.ts # time=3ms
`

const REPORT = [
  "Failed:",
  "not ok 2 - should be equal",
  "---",
  "diff: |",
  "-1",
  "+2",
  "...",
  "not ok 1 - sums # time=2ms",
  "not ok 1 - test/a.test.ts # time=3ms",
]

t.test("failed assertions are reported with what tap says of them, wherever the output is cut", async (t) => {
  for (const size of [1, 7, OUTPUT.length]) {
    const failures = new Failures()
    for (let at = 0; at < OUTPUT.length; at += size) failures.read(OUTPUT.slice(at, at + size))
    t.strictSame(
      failures.report().map((line) => line.trim()),
      REPORT,
    )
  }
})

t.test("a run without a failure has nothing to report", async (t) => {
  const failures = new Failures()
  failures.read("ok 1 - a\n# { total: 1, pass: 1 }\n")
  t.strictSame(failures.report(), [])
})
