// The benchmark's bulk loader writes the same state as the service.
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import { replaceSection } from "../../bench/results.ts"
import { createFor } from "../../bench/suborgs/creation.ts"
import { customer, organizationIdOf } from "../../bench/suborgs/customers.ts"
import { deploy } from "../../bench/suborgs/deployment.ts"
import { askCaller, askStore, lookUps } from "../../bench/suborgs/lookups.ts"
import { measureMemory } from "../../bench/suborgs/measure.ts"
import { judge, writeReport } from "../../bench/suborgs/report.ts"
import { type FamilyRun, SHORT_PLAN } from "../../bench/suborgs/run.ts"
import { isLong } from "../harness/long.ts"

const COUNT = 150

/** A system of its own costs much, and a figure of so few means nothing. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/suborgs.test.ts"

t.test("a deployment of the suborgs benchmark", { skip }, async (t) => {
  // Not in the test's own directory: a socket's path has about a hundred characters at most.
  const directory = mkdtempSync(join(tmpdir(), "cs-bench-"))
  chmodSync(directory, 0o755)
  const deployment = await deploy(join(directory, "d"), COUNT, () => undefined)
  t.teardown(async () => {
    await deployment.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  const { caller, parentId, sql, companyKey } = deployment

  t.test("answers look-ups of its first and last organization", async (t) => {
    for (const [name, make] of Object.entries(lookUps)) {
      for (const number of [0, COUNT - 1]) {
        const asked = make(number, deployment)
        t.ok((await askCaller(caller, parentId, asked)) > 0, `${name} of ${number}`)
        t.ok((await askStore(sql, parentId, asked)) > 0, `${name} of ${number}, by the tables`)
        await t.rejects(askCaller(caller, parentId, { ...asked, expected: [parentId] }), /answered/)
        await t.rejects(askStore(sql, parentId, { ...asked, expected: [parentId] }), /wrongly/)
      }
    }
  })

  t.test("is opened and changed by the signer", async (t) => {
    const [organizationId, other] = [organizationIdOf(7), organizationIdOf(8)]
    const wallet = { walletName: "First", accounts: [] }
    const { status, text } = await caller.submit("create_wallet", "CREATE_WALLET", organizationId, wallet)
    t.match({ status, text }, { status: 200, text: /ACTIVITY_STATUS_COMPLETED/ })
    const key = { apiKeyName: "theirs", publicKey: customer(9).publicKey, curveType: "API_KEY_CURVE_P256" }
    const users = [{ userName: "new", userTags: [], apiKeys: [key], authenticators: [], oauthProviders: [] }]
    t.match(await caller.submit("create_users", "CREATE_USERS_V4", other, { users }), { status: 200 })
    const shared = lookUps["public key"]!(9, { count: COUNT, companyKey })
    await askCaller(caller, parentId, { ...shared, expected: [other, organizationIdOf(9)] })
    t.ok(
      (await measureMemory(deployment, [COUNT])).every(({ residentMiB }) => residentMiB !== 0),
      "all are opened",
    )
  })

  t.test("creates further sub-organizations", async (t) => {
    const { count } = await createFor(caller, parentId, { seconds: 0.2, connections: 2, keys: [] })
    t.ok(count >= 2)
    const [row] = await sql`select count(*)::int as born from organizations where parent_id = ${parentId}`
    t.equal(row?.["born"], COUNT + count)
  })

  t.test("reports organizations that do not open", async (t) => {
    await t.rejects(measureMemory({ ...deployment, count: COUNT + 2 }, [COUNT + 2]), /not touched/)
  })
})

t.test("ratios are taken within a round", async (t) => {
  const latencies = (p50Ms: number) => ({ "e-mail": { p50Ms, p99Ms: 9, storeP50Ms: p50Ms / 10 } })
  const size = (count: number, times: number[], perSecond = 100) => ({
    count,
    loadSeconds: 1,
    indexSeconds: 1,
    databaseVersion: "18",
    memory: [{ touched: 0, residentMiB: 100 }],
    rounds: times.map((time) => ({
      latencies: latencies(time),
      creation: { perSecond: perSecond / time, cpuUs: { signer: 2000 } },
    })),
  })
  const machine = { cores: 2, processor: "x", memoryGiB: 1, system: "x", node: "x", syncMs: 1 }
  const run: FamilyRun = { machine, drift: 0, sizes: [size(10, [1, 5, 2]), size(1000, [1.5, 6, 3])] }
  t.match(judge(run), [{ name: "e-mail", ratio: { median: 1.5, min: 1.2, max: 1.5 }, reached: true }])
  const report = writeReport("2026-01-01", SHORT_PLAN, run)
  t.match(report, "| e-mail | 2.00 [1.00–5.00] | 3.00 [1.50–6.00] | 1.50 [1.20–1.50] | < 2: reached |")
  run.sizes[1] = size(1000, [2, 10, 4])
  t.match(judge(run), [{ reached: false }])
  t.match(report, "largest ÷ smallest: 0.67 [0.67–0.83]; must be at least 0.8: reached.")
  run.sizes[1] = size(1000, [2, 10, 4], 150)
  t.match(writeReport("2026-01-01", SHORT_PLAN, run), "0.75 [0.75–0.75]; must be at least 0.8: missed.")
  t.match(writeReport("2026-01-01", SHORT_PLAN, run), /< 2: missed/)
})

t.test("a section of the results replaces only the section of its title", async (t) => {
  const known = "# One\n\nfirst\n\n## Part\n\n# Two\n\nsecond\n"
  t.equal(replaceSection(known, "Two", "# Two\n\nnew\n\n"), "# One\n\nfirst\n\n## Part\n\n# Two\n\nnew\n")
  t.equal(replaceSection(known, "One", "# One\n\nnew\n"), "# One\n\nnew\n\n# Two\n\nsecond\n")
  t.equal(replaceSection(known, "Part", "# Part\n"), `${known}\n# Part\n`)
  t.equal(replaceSection("", "One", "# One\n"), "# One\n")
})
