// The bench of fairness: its verdicts, and in the long form every flood, sent and answered; the figures mean nothing.
import t from "tap"
import { type FloodKind, floodKinds } from "../../bench/fairness/kinds.ts"
import { judge, whyDiscarded, writeReport } from "../../bench/fairness/report.ts"
import { type FairnessRun, measureFairness, SHORT_PLAN } from "../../bench/fairness/run.ts"
import { readOptions } from "../../bench/options.ts"
import { isLong } from "../harness/long.ts"

/** HTTP statuses that a flood may be answered with: "400" refuses the members, "429" what exceeds the bounds. */
const expected: Readonly<Record<FloodKind, readonly string[]>> = {
  signatures: ["200", "429"],
  batches: ["200", "429"],
  proofs: ["200", "429"],
  subOrganizations: ["200", "429"],
  // "none": the API closes the connection of a body that it does not read.
  badStamps: ["400", "401", "none"],
  knownBadStamps: ["200", "401", "429", "none"],
  wallets: ["200", "429"],
  members: ["400"],
  lists: ["200"],
  requests: ["200", "429"],
  transactions: ["200"],
  largeLists: ["200"],
  slowReceivers: ["200", "notifications"],
  outage: ["200", "notifications"],
}

const kinds: readonly FloodKind[] = floodKinds
const skip = isLong ? false : "long form: npm run test:long -- test/bench/fairness.test.ts"

/** A request that waited longer for the signer than its caller does: a busy machine refuses some of any flood. */
const TOO_LATE = "503"

t.test("the short form measures one organization beside floods", { skip }, async (t) => {
  const plan = { ...SHORT_PLAN, kinds }
  const run = await measureFairness(plan, () => undefined)
  const [round, ...others] = run.rounds
  t.strictSame(others, [])
  for (const figure of ["alone", ...kinds] as const)
    t.match(round?.[figure], { requests: Number, p50Ms: Number, p99Ms: Number }, figure)
  for (const kind of kinds) {
    const statuses = Object.keys(round?.[kind]?.flood ?? {})
    t.ok(
      statuses.some((status) => expected[kind].includes(status)),
      `${kind}: answered`,
    )
    t.strictSame(
      statuses.filter((status) => !expected[kind].includes(status) && status !== TOO_LATE),
      [],
      `${kind}: only as expected`,
    )
  }
  for (const kind of kinds.filter((one) => expected[one].includes("notifications")))
    t.ok((round?.[kind]?.flood?.["notifications"] ?? 0) > 0, `${kind}: notifications arrive meanwhile`)
  const report = writeReport("2026-01-01", plan, run)
  t.match(report, "which has 3,000 activities")
  t.notMatch(report, "NaN")
})

t.test("a p99 beside a flood is judged by the p99 alone of its round", async (t) => {
  const machine = { cores: 2, processor: "x", memoryGiB: 1, system: "x", node: "x", syncMs: 1 }
  const window = (p99Ms: number) => ({ p50Ms: 1, p99Ms, requests: 9, flood: { 200: 3 } })
  const round = (alone: number, beside: number) =>
    Object.fromEntries([
      ["alone", window(alone)],
      ...floodKinds.map((kind) => [kind, window(beside)]),
    ]) as FairnessRun["rounds"][number]
  const run: FairnessRun = { machine, drift: 0, rounds: [round(1, 2), round(10, 50), round(2, 40)] }
  t.match(judge(run)[0], { kind: "signatures", ratio: { median: 5, min: 2, max: 20 }, verdict: "reached" })
  t.match(
    judge({ rounds: [round(4, 8)] }).find(({ kind }) => kind === "requests"),
    { kind: "requests", verdict: "goal reached" },
  )
  t.match(judge({ rounds: [round(4, 20.1)] }), [{ verdict: "missed" }])
  t.match(judge({ rounds: [round(4, 20), round(4, 30), round(4, 40)] }), [{ verdict: "reached" }])
  t.match(writeReport("2026-01-01", SHORT_PLAN, run), "| 5.00 [2.00–20.0] | ≤ 5 | ≤ 2 | reached | 9 of 200 |")
  t.equal(whyDiscarded(run), undefined)
  t.match(whyDiscarded({ drift: 0.2 }), "moved by 20.0 %")
})

t.test("the fairness family must be named alone", async (t) => {
  t.match(readOptions(["fairness", "short"]), { family: "fairness", short: true })
  t.throws(() => readOptions(["fairness", "keys"]), /means nothing here/)
})
