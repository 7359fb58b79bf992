// The ledger's files: their size, and what is synced and written of them.
import fs, { writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import t, { type Test } from "tap"
import { openSecondConnection } from "../../../../signer/enclave/ledger/connection.ts"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import { lockFile, sizeOf } from "../../../../signer/enclave/ledger/files.ts"
import { creation, create, databaseOf, KEY, serve } from "./harness.ts"

/** Replaces functions of `node:fs` until the test ends. */
function replace(t: Test, functions: Partial<typeof fs>): void {
  const originals = Object.fromEntries(
    Object.keys(functions).map((name) => [name, fs[name as keyof typeof fs]]),
  )
  t.teardown(() => {
    Object.assign(fs, originals)
    syncBuiltinESMExports()
  })
  Object.assign(fs, functions)
  syncBuiltinESMExports()
}

t.test("the size is that of the database, its log and the witness, as far as they exist", async (t) => {
  const directory = t.testdir()
  t.equal(sizeOf(directory), 0)
  writeFileSync(databaseOf(directory), "12345")
  t.equal(sizeOf(directory), 5)
  writeFileSync(`${databaseOf(directory)}-wal`, "1234567")
  writeFileSync(join(directory, "ledger.witness"), "123")
  writeFileSync(join(directory, "another"), "1")
  t.equal(sizeOf(directory), 15)
})

t.test("the process that has the ledger locked may open its database once more", async (t) => {
  const { connection, ledger } = serve(t.testdir(), () => t.fail("terminated"))
  const second = openSecondConnection(connection.location()!)
  t.equal(second.prepare("SELECT id FROM organization").all().length, 1)
  second.close()
  await ledger.close()
})

t.test("C1: a new ledger's files are synced, and last the directory with their names", async (t) => {
  const directory = t.testdir()
  const { openSync, fsyncSync } = fs
  const opened = new Map<number, string>()
  const synced: string[] = []
  replace(t, {
    openSync(...parameters: Parameters<typeof openSync>) {
      const descriptor = openSync(...parameters)
      opened.set(descriptor, String(parameters[0]))
      return descriptor
    },
    fsyncSync(descriptor: number) {
      synced.push(opened.get(descriptor) ?? "unknown")
      fsyncSync(descriptor)
    },
  })
  createLedger({ directory, key: KEY })
  const database = databaseOf(directory)
  t.strictSame(synced, [database, lockFile(database), join(directory, "ledger.witness"), directory])
})

t.test("C2: a witness that is cut short ends the process", async (t) => {
  const terminations: unknown[] = []
  const { ledger } = serve(t.testdir(), (error) => terminations.push(error))
  await ledger.commit([creation("org")])
  const { writeSync } = fs
  const cut = (descriptor: number, bytes: NodeJS.ArrayBufferView, at: number, size: number, to: number) =>
    writeSync(descriptor, bytes, at, size - 1, to)
  replace(t, { writeSync: cut as typeof writeSync })
  await t.rejects(ledger.commit([creation("new")]), /cut short/)
  t.match(terminations, [{ message: /cut short/ }])
  await ledger.close()
})

t.test("a time that is none is refused", async (t) => {
  const ledger = create(t.testdir())
  await t.rejects(ledger.resetTimeFloor(Number.NaN, 0), RangeError)
  await t.rejects(ledger.resetTimeFloor(1, Number.NaN), RangeError)
  await t.rejects(ledger.purge(-1), RangeError)
  t.equal(ledger.timeFloorMs(), 0)
  await ledger.close()
})
