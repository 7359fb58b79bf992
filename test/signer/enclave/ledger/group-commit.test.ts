import { join } from "node:path"
import t from "tap"
import { type LedgerRow, OUTCOMES } from "../../../../signer/enclave/ledger/ledger.ts"
import { creation, create, failAt, head, neverTerminate, open, serve, update } from "./harness.ts"

const row = (key: string, size = 1): LedgerRow => ({ kind: "record", key, value: new Uint8Array(size) })

t.test("all commits of one event-loop turn become durable in one transaction", async (t) => {
  const batches: number[] = []
  const directory = t.testdir()
  const ledger = create(directory, { onBatch: (requests) => batches.push(requests) })
  await Promise.all(Array.from({ length: 100 }, (_, index) => ledger.commit([creation(`org ${index}`)])))
  t.strictSame(batches, [100])
  await ledger.commit([creation("alone")])
  t.strictSame(batches, [100, 1])
  await ledger.close()
})

t.test("a commit is compared with those queued before it, and fails alone", async (t) => {
  const batches: number[] = []
  const ledger = create(t.testdir(), { onBatch: (requests) => batches.push(requests) })
  const outcomes = await Promise.allSettled([
    ledger.commit([creation("org", [row("first")])]),
    ledger.commit([creation("org", [row("twin")])]),
    ledger.commit([update("org", { head: head(2), put: [row("second")], mustBeAbsent: [row("twin")] })]),
    ledger.commit([update("org", { head: head(2), put: [row("late")] })]),
    ledger.commit([creation("new", [row("undone")]), update("org", { expect: head(9), head: head(9) })]),
    ledger.commit([update("org", { expect: head(2), head: head(3), remove: [row("first")] })]),
    ledger.commit([creation("neighbour"), update("neighbour", { head: head(2), put: [row("own")] })]),
  ])
  const F = "rejected"
  t.strictSame(
    outcomes.map(({ status }) => status === F),
    [false, true, false, true, true, false, false],
  )
  t.strictSame(batches, [4])
  t.strictSame(ledger.head("org"), head(3))
  t.equal(ledger.head("new"), undefined)
  t.strictSame(ledger.head("neighbour"), head(2))
  await ledger.commit([creation("new")])
  t.equal(ledger.row("new", "record", "undone"), undefined)
  t.strictSame(
    ledger.rows("org", "record").map(({ key }) => key),
    ["second"],
  )
  await ledger.close()
})

t.test("a ledger written by batches passes every check of the next start", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  await ledger.commit([creation("org")])
  const commits = Array.from({ length: 50 }, (_, index) =>
    ledger.commit([
      update("org", { put: [row(`${index % 7}`, index)], remove: [row(`${(index * 3) % 7}`)] }),
    ]),
  )
  commits.push(ledger.commit([update("org", { expect: head(5), put: [row("refused")] })]))
  await Promise.allSettled(commits)
  const expected = ledger.rows("org", "record")
  await ledger.close()
  const again = open(directory)
  t.strictSame(again.rows("org", "record"), expected)
  await again.close()
})

t.test("a batch tells the time of its write and sync in seconds", async (t) => {
  let syncSeconds = 0
  const ledger = create(t.testdir(), { onBatch: (_, seconds) => (syncSeconds = seconds) })
  const startMs = performance.now()
  await ledger.commit([creation("org")])
  t.ok(syncSeconds > 0 && syncSeconds <= (performance.now() - startMs) / 1000)
  await ledger.close()
})

t.test("reads see a change only once it is durable", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([creation("org")])
  t.equal(ledger.row("org", "record", "key"), undefined)
  const committed = ledger.commit([update("org", { head: head(2), put: [row("key")] })])
  await Promise.resolve()
  t.strictSame(ledger.head("org"), head(1))
  t.equal(ledger.row("org", "record", "key"), undefined)
  await committed
  t.strictSame(ledger.head("org"), head(2))
  t.strictSame(ledger.row("org", "record", "key"), new Uint8Array(1))
  await ledger.close()
})

t.test("closing the ledger writes what is queued", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  const committed = ledger.commit([creation("org")])
  await ledger.close()
  await committed
  await t.rejects(ledger.resetTimeFloor(1, 0), { code: "SIGNER_STOPPING" })
  const again = open(directory)
  t.strictSame(again.head("org"), head(1))
  await again.close()
})

t.test(
  "C-1910: a forgotten outcome is not read any more, and removed in the transaction of the next change",
  async (t) => {
    const directory = t.testdir()
    const batches: number[] = []
    const ledger = create(directory, { onBatch: (requests) => batches.push(requests) })
    const outcome = (key: string): LedgerRow => ({ kind: "outcome", key, value: new Uint8Array(1) })
    await ledger.commit([creation("org")], [{ shard: OUTCOMES, put: [outcome("stored"), outcome("kept")] }])
    const forgotten = ledger.forgetOutcome("stored")
    t.equal(ledger.row(OUTCOMES, "outcome", "stored"), undefined)
    t.strictSame(
      ledger.rows(OUTCOMES, "outcome").map(({ key }) => key),
      ["kept"],
    )
    await new Promise((resolve) => setImmediate(resolve))
    t.strictSame(batches, [1], "no transaction begins for it")
    await Promise.all([forgotten, ledger.commit([update("org", { put: [row("key")] })])])
    t.strictSame(batches, [1, 2])
    t.equal(ledger.row(OUTCOMES, "outcome", "stored"), undefined)
    await ledger.close()
    const again = open(directory)
    t.strictSame(
      again.rows(OUTCOMES, "outcome").map(({ key }) => key),
      ["kept"],
    )
    await again.close()
  },
)

t.test(
  "C-1910: forgotten outcomes make a transaction of their own when no change comes, and at the end",
  async (t) => {
    const directory = t.testdir()
    const batches: number[] = []
    const ledger = create(directory, { onBatch: (requests) => batches.push(requests) })
    const put = ["one", "two", "last"].map(
      (key): LedgerRow => ({ kind: "outcome", key, value: new Uint8Array(1) }),
    )
    await ledger.commit([creation("org")], [{ shard: OUTCOMES, put }])
    await Promise.all([ledger.forgetOutcome("one"), ledger.forgetOutcome("two")])
    t.strictSame(batches, [1, 2])
    const last = ledger.forgetOutcome("last")
    await ledger.close()
    await last
    const again = open(directory)
    t.strictSame(again.rows(OUTCOMES, "outcome"), [])
    await again.close()
  },
)

t.test("C-1910: an outcome that is put again after it was forgotten is there", async (t) => {
  const ledger = create(t.testdir())
  const index = { shard: OUTCOMES, put: [{ kind: "outcome", key: "key", value: new Uint8Array(1) } as const] }
  await ledger.commit([creation("org")], [index])
  await Promise.all([ledger.forgetOutcome("key"), ledger.commit([], [index])])
  t.strictSame(ledger.row(OUTCOMES, "outcome", "key"), new Uint8Array(1))
  await ledger.close()
})

t.test("C2: a change that breaks the enclave's own rules fails all, and ends the process", async (t) => {
  const terminations: unknown[] = []
  const { ledger } = serve(t.testdir(), (error) => terminations.push(error))
  const next = () => {
    throw new Error("broken")
  }
  const change = { shard: "org#1", update: [{ kind: "identity" as const, key: "mail", next }] }
  const outcomes = await Promise.allSettled([ledger.commit([creation("org")]), ledger.commit([], [change])])
  for (const outcome of outcomes) t.match(outcome, { reason: { message: "broken" } })
  t.match(terminations, [{ message: "broken" }])
  t.equal(ledger.head("org"), undefined)
  await ledger.close()
})

t.test("C2: a failed write or sync acknowledges nothing and ends the process", async (t) => {
  const IOERR_FSYNC = 1034
  const root = t.testdir()
  for (const statement of ["BEGIN", "COMMIT"]) {
    const terminations: unknown[] = []
    const { connection, ledger } = serve(join(root, statement), (error) => terminations.push(error))
    await ledger.commit([creation("org")])
    failAt(connection, statement, IOERR_FSYNC)
    await t.rejects(ledger.commit([creation("new")]), /disk I\/O error/)
    t.notOk(connection.isTransaction, "rolled back")
    t.equal(terminations.length, 1, statement)
    const failed = { message: /failed/, cause: { message: "disk I/O error" } }
    await t.rejects(ledger.commit([creation("later")]), failed)
    t.equal(terminations.length, 1, "once")
    await ledger.close()
  }
})

t.test("C-1910: an outcome that is not removed because the disk is full is there again", async (t) => {
  const { connection, ledger } = serve(t.testdir(), neverTerminate)
  const put: LedgerRow[] = [{ kind: "outcome", key: "key", value: new Uint8Array(1) }]
  await ledger.commit([creation("org")], [{ shard: OUTCOMES, put }])
  connection.exec("PRAGMA max_page_count = 20")
  const big = update("org", { put: [row("big", 200_000)] })
  const outcomes = await Promise.allSettled([ledger.forgetOutcome("key"), ledger.commit([big])])
  for (const outcome of outcomes) t.match(outcome, { reason: { code: "LEDGER_FULL" } })
  t.strictSame(ledger.rows(OUTCOMES, "outcome"), put)
  await ledger.close()
})

t.test("C-1924: after a wait for removals, outcomes whose removal failed are read again", async (t) => {
  const { connection, ledger } = serve(t.testdir(), neverTerminate)
  const put = ["removed", "kept"].map(
    (key): LedgerRow => ({ kind: "outcome", key, value: new Uint8Array(1) }),
  )
  await ledger.commit([creation("org")], [{ shard: OUTCOMES, put }])
  await ledger.settleRemovals()
  const removed = ledger.forgetOutcome("removed")
  await ledger.settleRemovals()
  await removed
  connection.exec("PRAGMA max_page_count = 20")
  const kept = ledger.forgetOutcome("kept")
  const big = ledger.commit([update("org", { put: [row("big", 200_000)] })])
  const failed = Promise.all([
    t.rejects(kept, { code: "LEDGER_FULL" }),
    t.rejects(big, { code: "LEDGER_FULL" }),
  ])
  t.strictSame(ledger.rows(OUTCOMES, "outcome"), [], "not read while the removal waits")
  await ledger.settleRemovals()
  t.strictSame(
    ledger.rows(OUTCOMES, "outcome").map(({ key }) => key),
    ["kept"],
  )
  await failed
  await ledger.close()
})

t.test("C2: a full disk refuses changes, keeps serving, and recovers by itself", async (t) => {
  const { connection, ledger } = serve(t.testdir(), neverTerminate)
  t.notOk(ledger.isFull())
  await ledger.commit([creation("org", [row("small")])])
  connection.exec("PRAGMA max_page_count = 20")
  const big = update("org", { put: [row("big", 200_000)] })
  const outcomes = await Promise.allSettled([ledger.commit([big]), ledger.commit([creation("neighbour")])])
  const reason = { code: "LEDGER_FULL", cause: { message: "database or disk is full" } }
  for (const outcome of outcomes) t.match(outcome, { reason })
  t.ok(ledger.isFull())
  t.strictSame(ledger.row("org", "record", "small"), new Uint8Array(1))
  t.equal(ledger.row("org", "record", "big"), undefined)
  t.equal(ledger.head("neighbour"), undefined)
  connection.exec("PRAGMA max_page_count = 1000000")
  await ledger.commit([big])
  t.notOk(ledger.isFull())
  t.equal(ledger.row("org", "record", "big")?.length, 200_000)
  await ledger.close()
})

t.test("a log that grows faster than it is moved is moved at once", async (t) => {
  const { connection, ledger } = serve(t.testdir(), () => t.fail("terminated"))
  const exec = connection.exec.bind(connection)
  let checkpoints = 0
  connection.exec = (sql) => {
    if (sql.startsWith("PRAGMA wal_checkpoint")) checkpoints += 1
    exec(sql)
  }
  await ledger.commit([creation("org", [])])
  await ledger.commit([update("org", { put: [row("big", 65 * 1024 * 1024)] })])
  t.equal(checkpoints, 1)
  await ledger.close()
})
