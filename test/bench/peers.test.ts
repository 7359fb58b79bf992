// The bench beside other services: its report and its bounds, and in the long form a run without Vault.
import t from "tap"
import type { Measurement } from "../../bench/goals.ts"
import { boundsOf, whyDiscarded, writeReport } from "../../bench/peers/main.ts"
import { measurePeers, OTHERS, type PeersRun } from "../../bench/peers/run.ts"
import { SHORT_PLAN } from "../../bench/trees/run.ts"
import { isLong } from "../harness/long.ts"

/** The run starts several whole systems. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/peers.test.ts"

t.test("every subject that this machine can run is measured", { skip }, async (t) => {
  const only = OTHERS.filter((name) => name !== "16000 accounts")
  const { commit, series } = await measurePeers({ against: "HEAD", only }, SHORT_PLAN, () => undefined)
  t.match(commit, /^[0-9a-f]{7,}$/)
  for (const name of ["service", ...only.filter((name) => name !== "Vault")])
    for (const at of [1, 16, 64]) t.ok(series[`${name} at ${at}`]?.[0]?.perSecond, `${name} at ${at}`)
  t.notOk("Vault at 1" in series, "Vault is not measured if no program is named")
})

const measured = (perSecond: number, p50Ms: number, cpuUs: Measurement["cpuUs"]): Measurement => ({
  perSecond,
  p50Ms,
  p99Ms: 2 * p50Ms,
  cpuUs: cpuUs ?? {},
})
const run: PeersRun = {
  machine: { cores: 2, processor: "x", memoryGiB: 1, system: "x", node: "x", syncMs: 1 },
  commit: "0123abcd",
  drift: 0.02,
  othersShare: 0.03,
  cryptographyUs: [100, 200],
  series: {
    "service at 1": [
      measured(400, 2, { api: 300, signer: 200, postgres: 100 }),
      measured(200, 4, { api: 600 }),
    ],
    "service at 64": [measured(3000, 20, { api: 200 }), measured(1500, 40, { api: 400 })],
    "policy user at 64": [measured(2400, 20, { api: 200 }), measured(1200, 40, { api: 400 })],
    "earlier at 1": [measured(200, 4, { api: 600 }), measured(100, 8, { api: 1200 })],
    "Vault at 1": [measured(1000, 1, { peer: 150 }), measured(500, 2, { peer: 300 })],
  },
}

t.test("ratios are taken within a round, and a figure that was not measured has no ratio", async (t) => {
  const ratios = new Map(boundsOf(run).map(({ name, ratio }) => [name, ratio?.median]))
  t.equal(ratios.get("requests a second ÷ Vault's, at 1"), 0.4)
  t.equal(ratios.get("requests a second ÷ Vault's, at 16"), undefined)
  t.equal(ratios.get("p50 ÷ Vault's, at 1"), 2)
  t.equal(ratios.get("a user whom a policy allows it ÷ a root user, requests a second at 64"), 0.8)
  t.equal(
    ratios.get("CPU of a request ÷ (2 P-256 verifications + 1 secp256k1 signature), at 1"),
    4.5,
    "median of 600 ÷ 100 and 600 ÷ 200: the CPU time of all processes",
  )
})

t.test("the report says which ratios reached their bounds, and which did not run", async (t) => {
  const text = writeReport("2026-01-01", SHORT_PLAN, run)
  t.match(
    text,
    /\| requests a second ÷ Vault's, at 1 \| 0\.40 \[0\.40–0\.40\] \| ≥ 0\.5 \| ≥ 0\.8 \| \*\*missed\*\* \|/,
  )
  t.match(text, /\| requests a second ÷ Vault's, at 16 \| – \| ≥ 0\.9 \| ≥ 1\.1 \| not run \|/)
  t.match(text, /\| p50 ÷ Vault's, at 1 \| 2\.00 \[2\.00–2\.00\] \| ≤ 2 \| ≤ 1\.2 \| reached \|/)
  t.match(text, /\| 1 \| 2\.00 \[2\.00–2\.00\] \| 0\.50 \[0\.50–0\.50\] \|/, "beside the earlier tree")
  t.equal(whyDiscarded(run), undefined)
  t.match(whyDiscarded({ ...run, drift: 0.2 }), /^bare signatures moved by 20\.0 %$/)
  t.match(whyDiscarded({ ...run, othersShare: 0.06 }), /^other programs took 6\.0 % of the CPU$/)
})
