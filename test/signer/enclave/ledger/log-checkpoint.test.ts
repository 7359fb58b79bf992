// When the write-ahead log is moved into the database, by a thread or at once, and what is left in it.
import type { DatabaseSync } from "node:sqlite"
import t from "tap"
import { LogCheckpoint } from "../../../../signer/enclave/ledger/sqlite/log-checkpoint.ts"
import { turn } from "./harness.ts"

const MiB = 1024 * 1024
const LOG_BYTES = 4 * MiB
const MAX_LOG_BYTES = 64 * MiB
const SQLITE_IOERR = 10
const SQLITE_FULL = 13

const fault = (errcode: number) => Object.assign(new Error("disk I/O error"), { errcode })

/** A checkpoint over a connection and a thread that count what they move; the test ends the thread's tasks. */
function setup() {
  const state = { isTransaction: false, asked: 0, moved: 0, faults: 0, errcode: 0 }
  let task = Promise.withResolvers<void>()
  const connection = {
    exec(sql: string) {
      if (state.errcode > 0) throw fault(state.errcode)
      if (sql === "PRAGMA wal_checkpoint(PASSIVE)") state.moved += 1
    },
    get isTransaction() {
      return state.isTransaction
    },
  }
  const longWriter = {
    checkpoint() {
      state.asked += 1
      task = Promise.withResolvers()
      return task.promise
    },
  }
  const onFault = () => void (state.faults += 1)
  const checkpoint = new LogCheckpoint({ connection: connection as DatabaseSync, longWriter, onFault })
  const answer = async (errcode = 0) => {
    if (errcode === 0) task.resolve()
    else task.reject(fault(errcode))
    await turn()
  }
  return { state, checkpoint, answer }
}

t.test("a thread moves a log of four MiB, and once only", async (t) => {
  const { state, checkpoint, answer } = setup()
  checkpoint.count(LOG_BYTES - 1)
  t.equal(state.asked, 0)
  checkpoint.count(1)
  t.equal(state.asked, 1)
  await answer()
  t.match(state, { asked: 1, moved: 0 }, "nothing was written meanwhile")
  checkpoint.count(LOG_BYTES - 1)
  t.equal(state.asked, 1)
  checkpoint.count(1)
  t.equal(state.asked, 2)
})

t.test("what was written meanwhile is moved after it", async (t) => {
  const { state, checkpoint, answer } = setup()
  checkpoint.count(LOG_BYTES)
  checkpoint.count(LOG_BYTES)
  t.equal(state.asked, 1, "one task at a time")
  await answer()
  t.match(state, { asked: 1, moved: 1 })
  checkpoint.count(LOG_BYTES - 1)
  t.equal(state.asked, 1, "the log began anew")
})

t.test("the rest waits for the end of the transaction that is open", async (t) => {
  const { state, checkpoint, answer } = setup()
  checkpoint.count(LOG_BYTES)
  checkpoint.count(1)
  state.isTransaction = true
  await answer()
  t.equal(state.moved, 0)
  state.isTransaction = false
  checkpoint.count(LOG_BYTES - 1)
  t.equal(state.asked, 2)
})

t.test("a log of 64 MiB is moved at once", async (t) => {
  const { state, checkpoint } = setup()
  checkpoint.count(MAX_LOG_BYTES - 1)
  t.match(state, { asked: 1, moved: 0 })
  checkpoint.count(1)
  t.match(state, { asked: 1, moved: 1 })
})

t.test("the end waits for the thread", async (t) => {
  const { checkpoint, answer } = setup()
  await checkpoint.end()
  checkpoint.count(LOG_BYTES)
  let isEnded = false
  const ending = checkpoint.end().then(() => (isEnded = true))
  await turn()
  t.notOk(isEnded)
  await answer()
  await ending
})

t.test("a full disk leaves the log as it is; every other fault is reported", async (t) => {
  for (const [errcode, faults] of [
    [SQLITE_FULL, 0],
    [SQLITE_IOERR, 1],
  ] as const) {
    const byThread = setup()
    byThread.checkpoint.count(LOG_BYTES)
    await byThread.answer(errcode)
    t.match(byThread.state, { asked: 1, moved: 0, faults })
    byThread.checkpoint.count(1)
    t.equal(byThread.state.asked, 2, "it is tried again")
    const atOnce = setup()
    atOnce.state.errcode = errcode
    atOnce.checkpoint.count(MAX_LOG_BYTES)
    t.match(atOnce.state, { asked: 0, moved: 0, faults })
  }
})
