// The bench of transactions in its short form: everything is read, signed and sent; its figures mean nothing.
import t from "tap"
import { readOptions } from "../../bench/options.ts"
import { allocatedBy } from "../../bench/transactions/reading.ts"
import { judge, whyDiscarded, writeReport } from "../../bench/transactions/report.ts"
import { measureTransactions, SHORT_PLAN, type TransactionsRun } from "../../bench/transactions/run.ts"
import { judgeMined } from "../../bench/transactions/sends.ts"
import { isLong } from "../harness/long.ts"

/** A system of its own costs much: the bench of fairness shows in every run that benches start. */
const skip = isLong ? false : "long form: npm run test:long -- test/bench/transactions.test.ts"

t.test("the short form reads and signs transactions, and every send is mined once", { skip }, async (t) => {
  const run = await measureTransactions(SHORT_PLAN, () => undefined)
  t.strictSame([...new Set(run.reads.map(({ chain }) => chain))], ["Ethereum", "Solana", "Bitcoin", "Tron"])
  for (const { chain, name, ms, allocatedMiB } of run.reads)
    t.ok(ms.median > 0 && allocatedMiB > 0, `${chain}: ${name}`)
  const sizes = Object.fromEntries(run.reads.map(({ chain, bytes }) => [chain, bytes]))
  t.match(sizes, { Solana: 1_218 }, "nodes take 1,232 bytes")
  t.ok(
    (sizes["Ethereum"] ?? 0) > 130_000 && (sizes["Tron"] ?? 0) > 130_000 && (sizes["Bitcoin"] ?? 0) > 31_000,
  )
  const [round, ...others] = run.signing
  t.strictSame(others, [])
  t.ok((round?.transfer ?? 0) > 0 && (round?.digest ?? 0) > 0)
  t.match(run.sends, { sends: 6, accounts: 2, lost: 0, doubled: 0, gaps: 0, notIncluded: 0 })
  const report = writeReport("2026-01-01", SHORT_PLAN, run)
  t.match(report, "6 sends of 2 accounts")
  t.notMatch(report, "NaN")
})

t.test("a lost send, a second transaction and a nonce left out are counted", (t) => {
  const mined = (from: string, nonce: number, value: number) => ({
    from,
    nonce: `0x${nonce}`,
    value: `0x${value}`,
  })
  const all = [mined("a", 0, 1), mined("b", 0, 2), mined("a", 1, 3)]
  t.same(judgeMined(all, 3), { lost: 0, doubled: 0, gaps: 0 })
  t.same(judgeMined(all, 4), { lost: 1, doubled: 0, gaps: 0 })
  t.same(judgeMined([...all, mined("b", 1, 2)], 3), { lost: 0, doubled: 1, gaps: 0 })
  t.same(judgeMined([...all, mined("b", 3, 4)], 4), { lost: 0, doubled: 0, gaps: 2 })
  t.end()
})

t.test("all that a call allocates is counted, also what is collected before it ends", (t) => {
  const megabyte = 1024 * 1024
  const bytes = allocatedBy(() => {
    for (let index = 0; index < 100; index++) Array.from({ length: megabyte / 8 }).fill(index)
  })
  t.ok(bytes > 90 * megabyte, `${bytes} bytes`)
  t.end()
})

t.test("figures beyond their bounds and a busy machine are reported", (t) => {
  const read = (p99: number, allocatedMiB: number) => {
    return { chain: "Tron", name: "x", bytes: 1, ms: { median: 1, p99 }, allocatedMiB } as const
  }
  const sends = { sends: 4, accounts: 2, acceptedSeconds: 1, minedSeconds: 2, lost: 0, doubled: 0, gaps: 0 }
  const runOf = (p99: number, allocatedMiB: number, transfer: number, gaps: number): TransactionsRun => ({
    machine: { cores: 2, processor: "x", memoryGiB: 1, system: "x", node: "x", syncMs: 1 },
    reads: [read(1, 1), read(p99, allocatedMiB)],
    signing: [transfer, 99, 1].map((rate) => ({ transfer: rate, digest: 100 })),
    sends: { ...sends, gaps, notIncluded: 0 },
    drift: gaps,
  })
  const reached = (run: TransactionsRun) => judge(run).map((verdict) => verdict.reached)
  t.strictSame(reached(runOf(50, 64, 80, 0)), Array<boolean>(7).fill(true))
  t.strictSame(reached(runOf(50.1, 64.1, 79, 1)), [false, false, false, true, true, false, true])
  t.strictSame(reached({ ...runOf(50, 64, 80, 0), sends: undefined }), [true, true, true])
  t.match(writeReport("2026-01-01", SHORT_PLAN, { ...runOf(1, 1, 90, 0), sends: undefined }), "not measured")
  t.equal(whyDiscarded({ drift: 0 }), undefined)
  t.match(whyDiscarded({ drift: 0.2 }), "moved by 20.0 %")
  t.end()
})

t.test("the transactions family must be named alone", (t) => {
  t.match(readOptions(["transactions", "short"]), { family: "transactions", short: true })
  t.throws(() => readOptions(["transactions", "keys"]), /means nothing here/)
  t.end()
})
