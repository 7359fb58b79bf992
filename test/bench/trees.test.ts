// The bench of two source trees: its report, and in the long form a run of this tree beside its own commit.
import t from "tap"
import { readOptions } from "../../bench/options.ts"
import { whyDiscarded, writeReport } from "../../bench/trees/main.ts"
import { measureTrees, SHORT_PLAN, type TreesRun } from "../../bench/trees/run.ts"
import { isLong } from "../harness/long.ts"

/** Two whole systems start for it. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/trees.test.ts"

t.test("both trees answer signatures and changes in turn", { skip }, async (t) => {
  const { commit, loads } = await measureTrees("HEAD", SHORT_PLAN, () => undefined)
  t.match(commit, /^[0-9a-f]{7,}$/)
  t.strictSame(
    loads.map(({ name }) => name),
    ["signatures at 1", "signatures at 16", "signatures at 64", "changes at 1", "changes at 16"],
  )
  for (const { name, perSecond, otherPerSecond } of loads)
    t.ok(perSecond.min > 0 && otherPerSecond.min > 0, `${name}: both answered`)
})

t.test("a commit that does not exist ends the run with git's words", async (t) => {
  await t.rejects(
    measureTrees("no-such-commit", SHORT_PLAN, () => undefined),
    /Needed a single revision/,
  )
})

t.test("the report of two trees says how the ratios were taken", async (t) => {
  const spread = { median: 0.97, min: 0.9, max: 1.1 }
  const rates = { median: 200, min: 190, max: 210 }
  const run: TreesRun = {
    machine: { cores: 2, processor: "x", memoryGiB: 1, system: "x", node: "x", syncMs: 1 },
    commit: "0123abcd",
    drift: 0.02,
    othersShare: 0.03,
    loads: [
      {
        name: "changes at 1",
        perSecond: rates,
        otherPerSecond: rates,
        rate: spread,
        p50: spread,
        cpu: undefined,
      },
    ],
  }
  t.match(
    writeReport("Against 0123abcd", "2026-01-01", SHORT_PLAN, run),
    /moved by 2\.0 %; other programs took 3\.0 %[^]*\| changes at 1 \| 200 \[190–210\] \| 200 \[190–210\] \| 0\.97 \[0\.90–1\.10\] \| 0\.97 \[0\.90–1\.10\] \| – \|/,
  )
  t.equal(whyDiscarded(run), undefined)
  t.match(whyDiscarded({ ...run, drift: 0.2 }), /^bare signatures moved by 20\.0 %$/)
  t.match(whyDiscarded({ ...run, othersShare: 0.06 }), /^other programs took 6\.0 % of the CPU$/)
})

t.test("the other commit is named on the command line", (t) => {
  t.match(readOptions(["trees", "--against", "v1"]), { family: "trees", against: "v1" })
  t.match(readOptions(["trees"]), { against: "HEAD" }, "without a name: what was committed last")
  t.end()
})
