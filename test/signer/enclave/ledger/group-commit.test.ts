import { statSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import { openConnection } from "../../../../signer/enclave/ledger/connection.ts"
import { ledgerFiles } from "../../../../signer/enclave/ledger/files.ts"
import type { LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { serveLedger } from "../../../../signer/enclave/ledger/local.ts"
import { LongWriter } from "../../../../signer/enclave/ledger/long-writer.ts"
import type { Write } from "../../../../signer/enclave/ledger/writes.ts"
import {
  creation,
  create,
  failAt,
  head,
  KEY,
  neverTerminate,
  open,
  serve,
  turn,
  until,
  update,
} from "./harness.ts"

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

/** A ledger whose thread fails as the test says; what it does is done by the ledger's own connection. */
function serveWithThread(directory: string, terminate: (error: unknown) => void) {
  createLedger({ directory, key: KEY })
  const files = ledgerFiles(directory)
  const connection = openConnection(files.database)
  const thread = new TestThread(files.database)
  const ledger = serveLedger(connection, files, { directory, key: KEY, terminate }, thread)
  return { connection, ledger, thread }
}

class TestThread extends LongWriter {
  /** Error code with which SQLite refuses the next tasks; 0: it performs them. */
  errcode = 0
  checkpoints = 0
  /** Checkpoints that were made. */
  moved = 0
  written = 0
  /** A transaction is written and not yet answered when this resolves. */
  afterWriting: Promise<void> = Promise.resolve()

  override async write(writes: Iterable<Write>): Promise<void> {
    if (this.errcode > 0) throw this.#fault()
    await super.write(writes)
    this.written += 1
    await this.afterWriting
  }

  override async checkpoint(): Promise<void> {
    this.checkpoints += 1
    if (this.errcode > 0) throw this.#fault()
    await super.checkpoint()
    this.moved += 1
  }

  #fault(): Error {
    return Object.assign(new Error("disk I/O error"), { errcode: this.errcode })
  }
}

const SQLITE_FULL = 13
const SQLITE_IOERR = 10

t.test("a long log is moved into the database by a thread; a failure of that ends the process", async (t) => {
  const terminations: unknown[] = []
  const { ledger, thread } = serveWithThread(t.testdir(), (error) => terminations.push(error))
  await ledger.commit([creation("org", [row("small", 1)])])
  t.equal(thread.checkpoints, 0)
  await ledger.commit([update("org", { put: [row("big", 5_000_000)] })])
  t.equal(thread.checkpoints, 1)
  await until(() => thread.moved === 1)
  await ledger.commit([update("org", { put: [row("small", 2)] })])
  thread.errcode = SQLITE_FULL
  await ledger.commit([update("org", { put: [row("big", 5_000_001)] })])
  await until(() => thread.checkpoints === 2)
  t.equal(terminations.length, 0, "a full disk leaves the log as it is")
  thread.errcode = SQLITE_IOERR
  await ledger.commit([update("org", { put: [row("small", 2)] })])
  await until(() => thread.checkpoints === 3)
  await until(() => terminations.length === 1)
  await t.rejects(ledger.commit([update("org", { put: [row("small", 3)] })]))
  await ledger.close()
})

t.test("what was written while the log was moved is moved too, and the log begins anew", async (t) => {
  const directory = t.testdir()
  const { connection, ledger, thread } = serveWithThread(directory, () => t.fail("terminated"))
  const log = `${ledgerFiles(directory).database}-wal`
  const exec = connection.exec.bind(connection)
  let moved = 0
  connection.exec = (sql) => {
    if (sql.startsWith("PRAGMA wal_checkpoint")) moved += 1
    exec(sql)
  }
  await ledger.commit([creation("org", [])])
  for (let round = 1; round <= 5; round++) {
    await ledger.commit([update("org", { put: [row("big", 5_000_000)] })])
    await ledger.commit([update("org", { put: [row("small", round)] })])
    await until(() => moved === round)
  }
  t.equal(thread.checkpoints, 5)
  const { size } = statSync(log)
  t.ok(size < 12_000_000, `${size} bytes after 25 MB`)
  await ledger.close()
})

t.test("a thread opens the ledger and moves the log while a transaction is written", async (t) => {
  const { connection, ledger, thread } = serveWithThread(t.testdir(), () => t.fail("terminated"))
  await ledger.commit([creation("org", [])])
  connection.exec("BEGIN IMMEDIATE")
  await t.resolves(thread.checkpoint())
  connection.exec("ROLLBACK")
  await ledger.commit([update("org", { put: [row("small", 1)] })])
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

const longChange = () => {
  const rows = Array.from({ length: 3_000 }, (_, index) => row(`row ${index}`, 10))
  return update("org", { put: rows, notesSequence: true })
}

t.test(
  "a thread writes the rows of a long change, and they are read when the change is durable",
  async (t) => {
    const directory = t.testdir()
    const { ledger, thread } = serveWithThread(directory, () => t.fail("terminated"))
    await ledger.commit([creation("org", []), creation("other", [row("theirs", 10)])])
    t.equal(thread.written, 0, "a short change needs no thread")
    const answered = Promise.withResolvers<void>()
    thread.afterWriting = answered.promise
    const commit = ledger.commit([longChange()])
    const next = ledger.commit([update("other", { put: [row("more", 10)] })])
    await until(() => thread.written === 1)
    t.equal(ledger.rows("org", "record").length, 0, "on disk, and not yet published")
    t.strictSame(ledger.organizations("", 2), [
      { organizationId: "org", version: 1n, sequence: 0n },
      { organizationId: "other", version: 1n, sequence: 0n },
    ])
    t.equal(ledger.rows("other", "record").length, 1, "a later change comes after it")
    const latest = ledger.commit([update("other", { put: [row("latest", 10)] })])
    await turn()
    answered.resolve()
    await commit
    await latest
    t.equal(ledger.rows("org", "record").length, 3_000)
    await next
    t.equal(ledger.rows("other", "record").length, 3)
    await ledger.close()
    const again = open(directory)
    t.equal(again.rows("org", "record").length, 3_000)
    await again.close()
  },
)

t.test(
  "C2: a thread that cannot write acknowledges nothing: a full disk refuses, other faults end the process",
  async (t) => {
    const terminations: unknown[] = []
    const { ledger, thread } = serveWithThread(t.testdir(), (error) => terminations.push(error))
    await ledger.commit([creation("org", [])])
    thread.errcode = SQLITE_FULL
    await t.rejects(ledger.commit([longChange()]), { code: "LEDGER_FULL" })
    t.ok(ledger.isFull())
    t.strictSame(ledger.rows("org", "record"), [])
    thread.errcode = 0
    await ledger.commit([update("org", { put: [row("small")] })])
    t.notOk(ledger.isFull())
    t.equal(terminations.length, 0)
    thread.errcode = SQLITE_IOERR
    await t.rejects(ledger.commit([longChange()]), /disk I\/O error/)
    t.equal(terminations.length, 1)
    t.equal(ledger.rows("org", "record").length, 1)
    await ledger.close()
  },
)

t.test("closing the ledger waits for the thread", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  await ledger.commit([creation("org")])
  const committed = ledger.commit([longChange()])
  await turn()
  const results = await Promise.allSettled([committed, ledger.close()])
  const again = open(directory)
  const isWritten = results[0].status === "fulfilled"
  t.equal(again.rows("org", "record").length, isWritten ? 3_000 : 0)
  t.equal(results[1].status, "fulfilled")
  await again.close()
})
