// The write-ahead log is moved into the database when it has about four MiB. A row counts as two pages and its value.
import t from "tap"
import { openConnection } from "../../../../signer/enclave/ledger/sqlite/connection.ts"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import type { LedgerChange } from "../../../../signer/enclave/ledger/ledger.ts"
import { ledgerFiles } from "../../../../signer/enclave/ledger/files.ts"
import { serveLedger } from "../../../../signer/enclave/ledger/local.ts"
import { LongWriter } from "../../../../signer/enclave/ledger/sqlite/long-writer.ts"
import { creation, KEY, neverTerminate, update } from "./harness.ts"

const MiB = 1024 * 1024

class CountingThread extends LongWriter {
  times = 0
  latest: Promise<void> | undefined

  override checkpoint(): Promise<void> {
    this.times += 1
    this.latest = super.checkpoint()
    return this.latest
  }
}

/** A ledger with one organization, and the number of times that its log was moved. */
async function setup(directory: string) {
  createLedger({ directory, key: KEY })
  const files = ledgerFiles(directory)
  const connection = openConnection(files.database)
  const thread = new CountingThread(files.database)
  const ledger = serveLedger(connection, files, { directory, key: KEY, terminate: neverTerminate }, thread)
  await ledger.commit([creation("org")])
  /** Resolves when the log was moved, if the change filled it. */
  const change = async (parts: Partial<LedgerChange>) => {
    try {
      await ledger.commit([update("org", parts)])
    } finally {
      await thread.latest
    }
  }
  return { ledger, change, moved: thread }
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
