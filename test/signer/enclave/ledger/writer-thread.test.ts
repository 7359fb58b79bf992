// The thread that writes long transactions: a transaction is written whole or not at all, and the thread outlives faults.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { statSync } from "node:fs"
import { Worker } from "node:worker_threads"
import t, { type Test } from "tap"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import { openConnection } from "../../../../signer/enclave/ledger/sqlite/connection.ts"
import { turn } from "../../../../signer/enclave/ledger/event-loop.ts"
import { LongWriter } from "../../../../signer/enclave/ledger/sqlite/long-writer.ts"
import type { Task } from "../../../../signer/enclave/ledger/sqlite/writer-thread.ts"
import type { Write } from "../../../../signer/enclave/ledger/sqlite/writes.ts"
import { databaseOf, KEY } from "./harness.ts"

const SQLITE_BUSY = 5
const SQLITE_CONSTRAINT_DATATYPE = 3091

/** Node's id of a thread that ended. */
const ENDED = -1

const mac = new Uint8Array(32)
const entry = (key: string): Write => ({
  is: "entry",
  shard: "org",
  row: { kind: "record", key, value: new Uint8Array(1) },
  term: { lane: 1, fence: 1, epoch: 0 },
  mac,
})
/** SQLite refuses it: the column is for bytes. */
const impossible = { ...entry("impossible"), mac: "a text" } as never

/** So many writes are sent in three tasks. */
const many = (prefix: string) => Array.from({ length: 250 }, (_, index) => entry(`${prefix} ${index}`))

function setup(t: Test) {
  const directory = t.testdir({})
  createLedger({ directory, key: KEY })
  const connection = openConnection(databaseOf(directory))
  const writer = new LongWriter(databaseOf(directory))
  const keys = () => connection.prepare("SELECT key FROM entry ORDER BY number").all().length
  const close = async () => {
    await writer.close()
    connection.close()
  }
  return { directory, connection, writer, keys, close }
}

/** Node's ids of the threads that get a task from now on. */
function threadsOf(t: Test): () => number[] {
  const { postMessage } = Worker.prototype
  const threads = new Set<Worker>()
  t.intercept(Worker.prototype, "postMessage", {
    value(this: Worker, task: unknown) {
      threads.add(this)
      postMessage.call(this, task)
    },
  })
  return () => [...threads].map(({ threadId }) => threadId)
}

t.test("a thread writes whole transactions, moves the log into the database, and ends", async (t) => {
  const { directory, connection, writer, keys, close } = setup(t)
  const threads = threadsOf(t)
  connection.exec("PRAGMA wal_checkpoint(PASSIVE)")
  const sizeOf = () => statSync(databaseOf(directory)).size
  const before = sizeOf()
  await writer.write(many("a"))
  t.equal(keys(), 250)
  const removal = { is: "removal", shard: "org", name: { kind: "record", key: "a 249" } } as const
  await writer.write([removal, ...many("b")])
  t.equal(keys(), 499)
  t.equal(sizeOf(), before)
  await writer.checkpoint()
  t.ok(sizeOf() > before)
  t.ok(threads().length === 1 && threads()[0] !== ENDED)
  await close()
  t.strictSame(threads(), [ENDED])
})

t.test("a thread gets the writes in tasks of a hundred", async (t) => {
  const { writer, keys, close } = setup(t)
  const { postMessage } = Worker.prototype
  const tasks: (number | string)[] = []
  t.intercept(Worker.prototype, "postMessage", {
    value(this: Worker, task: Task) {
      tasks.push(task.is === "write" ? task.writes.length : task.is)
      postMessage.call(this, task)
    },
  })
  await writer.write(many("a"))
  await writer.write(many("b").slice(0, 200))
  t.strictSame(tasks, ["begin", 100, 100, 50, "commit", "begin", 100, 100, 0, "commit"])
  t.equal(keys(), 450)
  await close()
})

t.test("what is due in the next turn runs before a turn ends", async (t) => {
  let isDone = false
  setImmediate(() => (isDone = true))
  await turn()
  t.ok(isDone)
})

t.test("a transaction that fails in any part is not written, and the next one is", async (t) => {
  const { connection, writer, keys, close } = setup(t)
  for (const [first, rest] of [
    [[impossible], many("a")],
    [many("a"), [impossible]],
  ] as const) {
    const fault = { errcode: SQLITE_CONSTRAINT_DATATYPE, message: /cannot store TEXT value in BLOB column/ }
    await t.rejects(writer.write([...first, ...rest]), fault)
    t.equal(keys(), 0)
  }
  await writer.write(many("b"))
  t.equal(keys(), 250)
  connection.exec("BEGIN IMMEDIATE")
  await t.rejects(writer.write(many("c")), { errcode: SQLITE_BUSY, message: /locked/ })
  const long = Array.from({ length: 100 }, (_, index) => many(`long ${index} `)).flat()
  // Its first task is refused long before its last one is sent: a fault that nobody awaits would end the process.
  await t.rejects(writer.write(long), { errcode: SQLITE_BUSY, message: /locked/ })
  connection.exec("ROLLBACK")
  t.equal(keys(), 250)
  await writer.write(many("c"))
  t.equal(keys(), 500)
  await close()
})

t.test("what was asked of a thread that ended is refused", async (t) => {
  const { writer, keys, close } = setup(t)
  const { postMessage } = Worker.prototype
  const ended = t.capture(Worker.prototype, "postMessage", function (this: Worker, task: unknown) {
    postMessage.call(this, task)
    void this.terminate()
  })
  await t.rejects(writer.checkpoint(), { message: /^the ledger's writing thread ended with code \d$/ })
  ended.restore()
  t.equal(keys(), 0)
  await writer.write(many("a"))
  t.equal(keys(), 250, "the next task has a new thread")
  await close()
})

t.test("a thread that cannot open the database refuses what it was asked", async (t) => {
  const writer = new LongWriter(`${t.testdir()}/no directory/ledger.sqlite`)
  const threads = threadsOf(t)
  await t.rejects(writer.write(many("a")), { message: "the ledger cannot be read" })
  while (threads().some((thread) => thread !== ENDED)) await turn()
  await t.resolves(writer.close(), "there is nothing to close")
})

/** The output of a process that writes long changes, until it ends by itself. */
async function outputOf(directory: string, how: "closes" | "leaves"): Promise<string> {
  const script = new URL("write-long.ts", import.meta.url).pathname
  const child = spawn(process.execPath, [script, directory, how])
  let output = ""
  child.stdout.on("data", (chunk) => (output += String(chunk)))
  const [code] = await once(child, "close")
  return `${output}exit ${code}`
}

t.test("a process ends only when its thread has nothing to do", async (t) => {
  const directory = t.testdir()
  createLedger({ directory, key: KEY })
  t.equal(
    await outputOf(directory, "leaves"),
    "written 2\nexit 0",
    "a thread without a task does not keep it",
  )
  t.equal(await outputOf(directory, "closes"), "written 2\nclosed\nexit 0")
})
