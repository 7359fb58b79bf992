// The thread that writes long transactions and moves the log.
import { statSync } from "node:fs"
import t from "tap"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import { openConnection } from "../../../../signer/enclave/ledger/sqlite/connection.ts"
import { ledgerFiles } from "../../../../signer/enclave/ledger/files.ts"
import type { LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { serveLedger } from "../../../../signer/enclave/ledger/local.ts"
import { LongWriter } from "../../../../signer/enclave/ledger/sqlite/long-writer.ts"
import type { Write } from "../../../../signer/enclave/ledger/sqlite/writes.ts"
import { create, creation, KEY, open, turn, until, update } from "./harness.ts"

const row = (key: string, size = 1): LedgerRow => ({ kind: "record", key, value: new Uint8Array(size) })

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
  /** All finished work of the thread is answered when this resolves. */
  answering: Promise<void> = Promise.resolve()

  override async write(writes: Iterable<Write>): Promise<boolean> {
    if (this.errcode > 0) throw this.#fault()
    const isWritten = await super.write(writes)
    this.written += 1
    await this.answering
    return isWritten
  }

  override async checkpoint(): Promise<void> {
    this.checkpoints += 1
    if (this.errcode > 0) throw this.#fault()
    await super.checkpoint()
    this.moved += 1
    await this.answering
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
    const answered = Promise.withResolvers<void>()
    thread.answering = answered.promise
    await ledger.commit([update("org", { put: [row("big", 5_000_000)] })])
    await until(() => thread.moved === round)
    await ledger.commit([update("org", { put: [row("small", round)] })])
    t.equal(moved, round - 1)
    answered.resolve()
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
    thread.answering = answered.promise
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
