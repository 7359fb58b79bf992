import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import t from "tap"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import { openConnection } from "../../../../signer/enclave/ledger/connection.ts"
import { ledgerFiles } from "../../../../signer/enclave/ledger/files.ts"
import type { LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { serveLedger } from "../../../../signer/enclave/ledger/local.ts"
import { creation, create, head, KEY, neverTerminate, open, update } from "./harness.ts"

const row = (key: string, size = 1): LedgerRow => ({ kind: "record", key, value: new Uint8Array(size) })

/** A ledger over a connection in which the test injects faults. */
function serve(directory: string, terminate: (error: unknown) => void) {
  createLedger({ directory, key: KEY })
  const files = ledgerFiles(directory)
  const connection = openConnection(files.database)
  return { connection, ledger: serveLedger(connection, files, { directory, key: KEY, terminate }) }
}

function failAt(connection: DatabaseSync, statement: string, errcode: number): void {
  const exec = connection.exec.bind(connection)
  connection.exec = (sql) => {
    if (sql.startsWith(statement)) throw Object.assign(new Error("disk I/O error"), { errcode })
    exec(sql)
  }
}

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
  const again = open(directory)
  t.strictSame(again.head("org"), head(1))
  await again.close()
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
    t.equal(terminations.length, 1, statement)
    await t.rejects(ledger.commit([creation("later")]), /failed/)
    t.equal(terminations.length, 1, "once")
    await ledger.close()
  }
})

t.test("C2: a full disk refuses changes, keeps serving, and recovers by itself", async (t) => {
  const { connection, ledger } = serve(t.testdir(), neverTerminate)
  await ledger.commit([creation("org", [row("small")])])
  connection.exec("PRAGMA max_page_count = 20")
  const big = update("org", { put: [row("big", 200_000)] })
  const outcomes = await Promise.allSettled([ledger.commit([big]), ledger.commit([creation("neighbour")])])
  for (const outcome of outcomes) t.match(outcome, { reason: { code: "LEDGER_FULL" } })
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

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(1)
}

/** The next turn of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test("a long log is moved into the database; a failure of that ends the process", async (t) => {
  const terminations: unknown[] = []
  const { connection, ledger } = serve(t.testdir(), (error) => terminations.push(error))
  const exec = connection.exec.bind(connection)
  /** Error code with which SQLite refuses the next checkpoint; 0: it makes it. */
  let errcode = 0
  let checkpoints = 0
  connection.exec = (sql) => {
    if (!sql.startsWith("PRAGMA wal_checkpoint")) return exec(sql)
    checkpoints += 1
    t.notOk(connection.isTransaction)
    if (errcode > 0) throw Object.assign(new Error("disk I/O error"), { errcode })
    exec(sql)
  }
  const SQLITE_FULL = 13
  const SQLITE_IOERR = 10
  await ledger.commit([creation("org", [row("small", 1)])])
  await ledger.commit([update("org", { put: [row("big", 5_000_000)] })])
  t.equal(checkpoints, 0, "requests that waited for the commit come first")
  await until(() => checkpoints === 1)
  errcode = SQLITE_FULL
  await ledger.commit([update("org", { put: [row("big", 5_000_001)] })])
  await until(() => checkpoints === 2)
  t.equal(terminations.length, 0, "a full disk leaves the log as it is")
  errcode = SQLITE_IOERR
  await ledger.commit([update("org", { put: [row("small", 2)] })])
  await until(() => checkpoints === 3)
  t.equal(terminations.length, 1)
  await t.rejects(ledger.commit([update("org", { put: [row("small", 3)] })]))
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

t.test("the rows of a long change are written in slices, and read only when all are committed", async (t) => {
  const { connection, ledger } = serve(t.testdir(), () => t.fail("terminated"))
  const COUNT = 3_000
  const rows = Array.from({ length: COUNT }, (_, index) => row(`row ${index}`, 10))
  await ledger.commit([creation("org", []), creation("other", [row("theirs", 10)])])
  const commit = ledger.commit([update("org", { put: rows })])
  while (!connection.isTransaction) await turn()
  t.equal(ledger.rows("other", "record").length, 1)
  t.ok(
    connection.isTransaction,
    "others have their turns meanwhile: a read of another organization does not end the writing",
  )
  t.equal(ledger.rows("org", "record").length, COUNT)
  t.notOk(connection.isTransaction, "a read of the organization does")
  await commit
  await ledger.close()
})

t.test("a read of rows that are being written is answered with what is durable, or not at all", async (t) => {
  const { connection, ledger } = serve(t.testdir(), () => undefined)
  const rows = Array.from({ length: 3_000 }, (_, index) => row(`row ${index}`, 10))
  await ledger.commit([creation("org", [])])
  const SQLITE_IOERR = 10
  failAt(connection, "COMMIT", SQLITE_IOERR)
  const commit = ledger.commit([update("org", { put: rows })])
  commit.catch(() => undefined)
  while (!connection.isTransaction) await turn()
  t.strictSame(ledger.rows("org", "record"), [], "the transaction was rolled back")
  await t.rejects(commit)
  await ledger.close()
})
