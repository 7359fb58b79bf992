// Index shards that are verified before a change needs them.
import t, { type Test } from "tap"
import { runAtOnce } from "../../../../signer/core/turns/steps.ts"
import { laneOf } from "../../../../signer/enclave/ledger/lanes.ts"
import type { IndexChange, Ledger, LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import type { ShardLimits } from "../../../../signer/enclave/ledger/shards.ts"
import { LedgerMac } from "../../../../signer/enclave/ledger/mac.ts"
import { bytes, codeOf, create, creation, open, tamper } from "./harness.ts"

const SHARDS = 12
const ROWS = 30
const MAX_ROWS_PER_STEP = 20
/** The last one is an index shard of the deployment. */
const shardName = (number: number) =>
  number === SHARDS - 1 ? "#0000" : `org#${number.toString(16).padStart(4, "0")}`
const identity = (key: string): LedgerRow => ({ kind: "identity", key, value: bytes(key) })
const adding = (shard: string): IndexChange => ({ shard, put: [identity("new")] })

/** Counts the MACs of rows. */
function countMacs(t: Test): () => number {
  const original = LedgerMac.prototype.row
  let count = 0
  LedgerMac.prototype.row = function (...parameters) {
    count += 1
    return original.apply(this, parameters)
  }
  t.teardown(() => {
    LedgerMac.prototype.row = original
  })
  return () => count
}

/** A ledger with full index shards, an organization whose rows overflow, and 250 others; opened anew. */
async function filled(
  t: Test,
  limits: Partial<ShardLimits> = {},
): Promise<{ directory: string; ledger: Ledger }> {
  const directory = t.testdir()
  const made = create(directory, { limits: { ownRows: 5 } })
  const rows = Array.from({ length: ROWS }, (_, at) => identity(`key ${at}`))
  const names = Array.from(
    { length: 20 },
    (_, at): LedgerRow => ({ kind: "name", key: `${at}`, value: bytes("n") }),
  )
  const others = Array.from({ length: 250 }, (_, at) => creation(`other-${at}`))
  const index = Array.from({ length: SHARDS }, (_, at) => ({ shard: shardName(at), put: rows }))
  await made.commit([creation("org", names), ...others])
  for (const lane of [0, 1])
    await made.commit(
      [],
      index.filter(({ shard }) => laneOf(shard) === lane),
    )
  await made.close()
  return { directory, ledger: open(directory, { limits: { ownRows: 5, ...limits } }) }
}

t.test("changes of verified index shards verify no row but their own", async (t) => {
  const { ledger } = await filled(t)
  const macs = countMacs(t)
  await ledger.commit([], [adding(shardName(0))])
  t.ok(macs() > ROWS, "before, the whole shard")
  t.strictSame(runAtOnce(ledger.verifyIndex()), { verified: SHARDS, damaged: 0, isWhole: true })
  const before = macs()
  for (let at = 1; at < SHARDS; at++) await ledger.commit([], [adding(shardName(at))])
  t.equal(macs() - before, SHARDS - 1, "the new rows")
  await ledger.close()
})

t.test("a step verifies few rows", async (t) => {
  const { ledger } = await filled(t)
  const macs = countMacs(t)
  const steps = ledger.verifyIndex()
  for (let before = 0, isDone = false; !isDone; before = macs()) {
    isDone = steps.next().done === true
    t.ok(macs() - before <= MAX_ROWS_PER_STEP)
  }
  t.equal(macs(), SHARDS * ROWS)
  await ledger.close()
})

t.test("no organization displaces a verified index shard", async (t) => {
  const { ledger } = await filled(t, { organizations: 1 })
  runAtOnce(ledger.verifyIndex())
  for (let at = 0; at < 20; at++) ledger.head(`other-${at}`)
  const macs = countMacs(t)
  await ledger.commit([], [adding(shardName(3))])
  t.equal(macs(), 1)
  await ledger.close()
})

t.test("it ends where there is no memory for more, and displaces nothing", async (t) => {
  const { ledger } = await filled(t, { indexShards: 4 })
  t.strictSame(runAtOnce(ledger.verifyIndex()), { verified: 4, damaged: 0, isWhole: false })
  const macs = countMacs(t)
  for (const at of [SHARDS - 1, 0, 1, 2]) await ledger.commit([], [adding(shardName(at))])
  t.equal(macs(), 4)
  await ledger.close()
})

t.test("a damaged index shard is counted, and refused when it is used", async (t) => {
  const { directory, ledger: opened } = await filled(t)
  await opened.close()
  tamper(directory, (database) => {
    database.prepare("DELETE FROM entry WHERE organization_id = ? AND key = 'key 7'").run(shardName(5))
  })
  const ledger = open(directory)
  t.strictSame(runAtOnce(ledger.verifyIndex()), { verified: SHARDS - 1, damaged: 1, isWhole: true })
  t.equal(
    codeOf(() => ledger.row(shardName(5), "identity", "key 1")),
    "LEDGER_DAMAGED",
  )
  await t.rejects(ledger.commit([], [adding(shardName(5))]), { code: "LEDGER_DAMAGED" })
  await ledger.commit([], [adding(shardName(6))])
  await ledger.close()
})

t.test("changes may come between its steps", async (t) => {
  const { ledger } = await filled(t)
  const steps = ledger.verifyIndex()
  for (let at = 0; at < SHARDS; at++) {
    steps.next()
    await Promise.all([shardName(at), shardName(100 + at)].map((shard) => ledger.commit([], [adding(shard)])))
  }
  t.match(runAtOnce(steps), { damaged: 0, isWhole: true })
  const macs = countMacs(t)
  await ledger.commit([], [{ shard: shardName(100), put: [identity("newer")] }])
  t.equal(macs(), 1)
  await ledger.close()
})

t.test("a fault that is no damage ends it", async (t) => {
  const { ledger } = await filled(t)
  const fault = new Error("out of memory")
  const original = LedgerMac.prototype.row
  LedgerMac.prototype.row = () => {
    throw fault
  }
  t.throws(() => runAtOnce(ledger.verifyIndex()), fault)
  LedgerMac.prototype.row = original
  await ledger.close()
})

t.test("it ends with the ledger", async (t) => {
  const { ledger } = await filled(t)
  const steps = ledger.verifyIndex()
  steps.next()
  await ledger.close()
  t.equal(
    codeOf(() => steps.next()),
    "SIGNER_STOPPING",
  )
})
