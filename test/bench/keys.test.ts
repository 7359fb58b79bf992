// The bench of keys in its short form: everything runs and signs; its figures mean nothing.
import t from "tap"
import { readOptions } from "../../bench/options.ts"
import { isCacheBounded, judge, judgeCold, whyDiscarded, writeReport } from "../../bench/keys/report.ts"
import { type KeysRun, measureKeys, SHORT_PLAN } from "../../bench/keys/run.ts"
import { signatureKinds } from "../../bench/keys/signatures.ts"
import { isLong } from "../harness/long.ts"

/** A system of its own costs much: the bench of fairness shows in every run that benches start. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/keys.test.ts"

t.test("the short form measures every kind, and the cache stays within its bound", { skip }, async (t) => {
  const run = await measureKeys(SHORT_PLAN, () => undefined)
  const [round] = run.rounds
  for (const { name } of signatureKinds) {
    const { bare = 0, warm = 0, cold = 0 } = round?.signatures[name] ?? {}
    t.ok(bare > 0 && warm > 0 && cold > 0, name)
  }
  t.equal(Object.keys(round?.addresses ?? {}).length, 22)
  for (const { derived, written } of Object.values(round?.addresses ?? {})) t.ok(derived > 0 && written > 0)
  t.equal(Object.keys(round?.requests ?? {}).length, 6)
  t.same(Object.keys(round?.systemRequests ?? {}), ["Ethereum accounts"])
  t.ok((round?.accounts.hot ?? 0) > 0 && (round?.accounts.cold ?? 0) > 0, "signatures of the whole system")
  t.match(run.cache, {
    maxEntries: 100,
    steps: [
      { accounts: 50, entries: 50 },
      { accounts: 200, entries: 100 },
    ],
  })
  t.ok(isCacheBounded(run))
  const report = writeReport("2026-01-01", SHORT_PLAN, run)
  t.match(report, "| 200 | 100 | 100 |")
  t.notMatch(report, "NaN")
})

t.test("a ratio below its bound, a cache above its bound and a busy machine are reported", async (t) => {
  const signatures = (warm: number) =>
    Object.fromEntries(signatureKinds.map(({ name }) => [name, { bare: 100, warm, cold: 10 }]))
  const runOf = (drift: number, ...warm: number[]): KeysRun => ({
    machine: { cores: 2, processor: "x", memoryGiB: 1, system: "x", node: "x", syncMs: 1 },
    rounds: warm.map((rate) => ({
      signatures: signatures(rate),
      addresses: {},
      requests: {},
      systemRequests: {},
      accounts: { hot: 1000, cold: rate * 4 },
    })),
    cache: {
      maxEntries: 10,
      seconds: 1,
      steps: [{ accounts: 20, entries: 10, mostEntries: drift > 0 ? 11 : 10, residentMiB: undefined }],
    },
    drift,
  })
  const good = runOf(0, 95, 89, 90)
  t.match(judge(good)[0], { ratio: { median: 0.9, min: 0.89, max: 0.95 }, reached: true })
  t.equal(whyDiscarded(good), undefined)
  t.match(writeReport("2026-01-01", SHORT_PLAN, good), /≥ 0\.9: reached[^]*10 keys at most: reached/)
  t.match(judgeCold(good.rounds), { ratio: { median: 0.36, min: 0.356, max: 0.38 }, reached: false })
  t.match(judgeCold([{ accounts: { hot: 10, cold: 4 } }]), { reached: true })
  t.match(writeReport("2026-01-01", SHORT_PLAN, good), "| 0.36 [0.36–0.38] | ≥ 0.4, goal ≥ 0.7: missed |")
  const bad = runOf(0.2, 95, 89, 88)
  t.match(judge(bad)[0], { reached: false })
  t.match(whyDiscarded(bad), /20\.0 %/)
  t.match(writeReport("2026-01-01", SHORT_PLAN, bad), /≥ 0\.9: missed[^]*10 keys at most: missed/)
})

t.test("a family of measurements must be named alone", async (t) => {
  t.match(readOptions(["keys", "short"]), { family: "keys", short: true })
  t.match(readOptions(["suborgs"]), { family: "suborgs", short: false })
  t.match(readOptions([]), { family: "requests" })
  t.throws(() => readOptions(["keys", "suborgs"]), /means nothing here/)
  t.throws(() => readOptions(["kays"]), /kays means nothing here/)
})
