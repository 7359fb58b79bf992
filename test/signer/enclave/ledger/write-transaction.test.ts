// Rows that are written more than once: in one transaction, in one batch, and in a shard that is full.
import t from "tap"
import { creation, create, head, open, update } from "./harness.ts"
import { limits, OWN_ROWS, row, rows, shardsIn } from "./overflow-harness.ts"

const BUSY = { code: "ORGANIZATION_BUSY" }

/** Rows of `org`, by key. */
function valuesIn(ledger: ReturnType<typeof open>): Map<string, string> {
  const found = ledger.rows("org", "address")
  return new Map(found.map(({ key, value }) => [key, Buffer.from(value).toString()]))
}

t.test("a row that is put again takes the place of the one before, in the shard that has it", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory, { limits })
  await ledger.commit([creation("org", rows(20)), creation("other", rows(20))])
  const again = rows(20).map(({ kind, key }) => row(kind, key, `${key}, again`))
  await ledger.commit([update("org", { put: again })])
  const expected = new Map(again.map(({ key }) => [key, `${key}, again`]))
  t.strictSame(valuesIn(ledger), expected)
  await ledger.close()
  const shards = shardsIn(directory)
  t.equal(shards.get("org"), OWN_ROWS)
  t.equal(
    [...shards.values()].reduce((sum, count) => sum + count),
    40,
  )
  const opened = open(directory, { limits })
  t.strictSame(valuesIn(opened), expected, "the next start finds what was written")
  await opened.close()
})

t.test("changes of one batch find the rows of those before, also in overflow shards", async (t) => {
  // The shards of a change are verified in slices of time. On a busy machine a slice ends early, and its change enters a later batch.
  t.intercept(performance, "now", { value: () => 0 })
  for (const before of [OWN_ROWS, 20]) {
    const directory = t.testdir({})
    const batches: number[] = []
    const ledger = create(directory, { limits, onBatch: (requests) => batches.push(requests) })
    await ledger.commit([creation("org", rows(before))])
    const added = row("address", "added", "first")
    const kept = row("address", "kept", "first")
    const outcomes = await Promise.allSettled([
      ledger.commit([update("org", { put: [added, kept] })]),
      ledger.commit([update("org", { mustBeAbsent: [added], put: [row("address", "refused")] })]),
      ledger.commit([update("org", { put: [row("address", "kept", "second")] })]),
      ledger.commit([update("org", { remove: [added] })]),
      ledger.commit([update("org", { mustBeAbsent: [added] })]),
    ])
    t.strictSame(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"],
    )
    t.strictSame(batches, [1, 4], "one batch after the creation")
    const expected = new Map([...rows(before).map(({ key }) => [key, key] as const), ["kept", "second"]])
    t.same(valuesIn(ledger), expected)
    await ledger.close()
    const opened = open(directory, { limits })
    t.same(valuesIn(opened), expected, "the next start finds what was written")
    await opened.close()
  }
})

t.test("a head is compared by its version and by its digest", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([creation("org")])
  const { digest } = head(1)
  await t.rejects(ledger.commit([update("org", { expect: { version: 2n, digest } })]), BUSY)
  await t.rejects(ledger.commit([update("org", { expect: { ...head(2), version: 1n } })]), BUSY)
  await t.rejects(ledger.commit([update("org", { head: { version: 0n, digest } })]), RangeError)
  await t.rejects(ledger.commit([update("org", { head: { ...head(2), version: 1n } })]), RangeError)
  await ledger.commit([update("org", { head: { version: 2n, digest } })])
  t.strictSame(ledger.head("org"), { version: 2n, digest })
  await ledger.close()
})

t.test("a time floor that is set is that of the next start", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  await ledger.resetTimeFloor(5_000, 6_000)
  t.strictSame([ledger.timeFloorMs(), ledger.quietUntilMs()], [5_000, 6_000])
  await ledger.close()
  const opened = open(directory)
  t.strictSame([opened.timeFloorMs(), opened.quietUntilMs()], [5_000, 6_000])
  await opened.close()
})
