// The write-ahead log is moved into the database when it has about four MiB. A row counts as two pages and its value.
import { mock } from "node:test"
import t from "tap"
import { openConnection } from "../../../../signer/enclave/ledger/connection.ts"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import type { LedgerChange } from "../../../../signer/enclave/ledger/ledger.ts"
import { ledgerFiles } from "../../../../signer/enclave/ledger/files.ts"
import { serveLedger } from "../../../../signer/enclave/ledger/local.ts"
import { creation, KEY, neverTerminate, update } from "./harness.ts"

const MiB = 1024 * 1024

/** A ledger with one organization, and the number of times that its log was moved. */
async function setup(directory: string) {
  createLedger({ directory, key: KEY })
  const files = ledgerFiles(directory)
  const connection = openConnection(files.database)
  const ledger = serveLedger(connection, files, { directory, key: KEY, terminate: neverTerminate })
  const moved = { times: 0 }
  const exec = connection.exec.bind(connection)
  connection.exec = (sql) => {
    if (sql.startsWith("PRAGMA wal_checkpoint")) moved.times += 1
    exec(sql)
  }
  await ledger.commit([creation("org")])
  const change = async (parts: Partial<LedgerChange>) => {
    // The log is moved after a pause, which the test ends at once.
    mock.timers.enable({ apis: ["setTimeout"] })
    await ledger.commit([update("org", parts)]).finally(() => {
      mock.timers.runAll()
      mock.timers.reset()
    })
  }
  return { ledger, change, moved }
}

const rows = (from: number, to: number, size = 0) =>
  Array.from({ length: to - from }, (_, index) => ({
    kind: "record" as const,
    key: String(from + index),
    value: new Uint8Array(size),
  }))

t.test("rows that are put and rows that are removed fill the log by their pages", async (t) => {
  const { ledger, change, moved } = await setup(t.testdir())
  await change({ put: rows(0, 500) })
  t.equal(moved.times, 0)
  await change({ put: rows(500, 520) })
  t.equal(moved.times, 1)
  await change({ remove: rows(0, 500) })
  t.equal(moved.times, 1)
  await change({ remove: rows(500, 520) })
  t.equal(moved.times, 2)
  await ledger.close()
})

t.test("values fill the log by their bytes", async (t) => {
  const { ledger, change, moved } = await setup(t.testdir())
  await change({ put: rows(0, 3, MiB) })
  t.equal(moved.times, 0)
  await change({ put: rows(3, 4, MiB) })
  t.equal(moved.times, 1)
  await ledger.close()
})

t.test("a refused request fills no log", async (t) => {
  const { ledger, change, moved } = await setup(t.testdir())
  const refused = update("org", { put: rows(0, 600), expect: undefined })
  const [one, other] = await Promise.allSettled([ledger.commit([refused]), change({ put: rows(0, 1) })])
  t.same([one.status, other.status], ["rejected", "fulfilled"])
  t.equal(moved.times, 0)
  await ledger.close()
})
