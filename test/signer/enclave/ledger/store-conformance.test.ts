// The stores of the ledger, held to the same promises: SQLite's, and one in memory that was written apart from it.
import { Worker } from "node:worker_threads"
import type { DatabaseSync } from "node:sqlite"
import type { Test } from "tap"
import { makeFile } from "../../../../signer/enclave/ledger/files.ts"
import { openConnection } from "../../../../signer/enclave/ledger/sqlite/connection.ts"
import { createDatabase } from "../../../../signer/enclave/ledger/sqlite/database.ts"
import { LongWriter } from "../../../../signer/enclave/ledger/sqlite/long-writer.ts"
import type { Write } from "../../../../signer/enclave/ledger/sqlite/writes.ts"
import { SqliteStore } from "../../../../signer/enclave/ledger/sqlite/sqlite-store.ts"
import { databaseOf, failAt } from "./harness.ts"
import { MemoryStorage, MemoryStore } from "./memory-store.ts"
import { conforms, type StoreUnderTest } from "./store-conformance.ts"
import { entry, NEW } from "./store-harness.ts"

const IOERR_FSYNC = 1034
const FULL = 13

/** A thread that finds the disk full at the last row of a transaction: its connection has no limit of its own. */
class LimitedThread extends LongWriter {
  isFull = false

  override async write(writes: Iterable<Write>): Promise<boolean> {
    if (!this.isFull) return super.write(writes)
    const answer: unknown = await super.write([...writes, IMPOSSIBLE]).catch((fault: unknown) => fault)
    if (answer === false) return false
    throw Object.assign(new Error("full"), { errcode: FULL })
  }
}

/** SQLite refuses it: the column is for bytes. */
const IMPOSSIBLE = { ...entry("org", "record", "impossible"), mac: "a text" } as never

function sqlite(t: Test): StoreUnderTest {
  const file = databaseOf(t.testdir({}))
  makeFile(file)
  createDatabase(file, NEW)
  let connection: DatabaseSync
  let torn = false
  const thread = new LimitedThread(file)
  const { postMessage } = Worker.prototype
  // A thread that gets the third of its tasks while the append is to be torn ends within the transaction.
  t.intercept(Worker.prototype, "postMessage", {
    value(this: Worker, task: { is: string }) {
      if (torn && task.is === "commit") void this.terminate()
      else postMessage.call(this, task)
    },
  })
  return {
    isExclusive: true,
    loseAnswer: undefined,
    async open() {
      torn = false
      connection = openConnection(file)
      return new SqliteStore({ connection, longWriter: thread })
    },
    setFull(isFull) {
      connection.exec(`PRAGMA max_page_count = ${isFull ? 1 : 1_000_000}`)
      thread.isFull = isFull
    },
    tear() {
      torn = true
      failAt(connection, "COMMIT", IOERR_FSYNC)
    },
  }
}

function memory(): StoreUnderTest {
  const storage = new MemoryStorage(NEW)
  return {
    isExclusive: false,
    loseAnswer: (isWritten) => (storage.next = isWritten ? "written and lost" : "lost"),
    open: async () => new MemoryStore(storage),
    setFull: (isFull) => (storage.room = isFull ? 100_000 : Number.POSITIVE_INFINITY),
    tear: () => (storage.next = "torn"),
  }
}

conforms("SQLite", sqlite)
conforms("memory", memory)
