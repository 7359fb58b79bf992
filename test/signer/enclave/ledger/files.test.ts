// The ledger's files: their size, and what is synced and written of them.
import fs, { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import t, { type Test } from "tap"
import { openSecondConnection } from "../../../../signer/enclave/ledger/sqlite/connection.ts"
import { createLedger } from "../../../../signer/enclave/ledger/create-ledger.ts"
import { ledgerFiles, lockFile, removeFiles, sizeOf } from "../../../../signer/enclave/ledger/files.ts"
import { codeOf, creation, create, databaseOf, KEY, open, serve } from "./harness.ts"

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

t.test("C1: no transaction writes to the lock's file, which a restored ledger lacks", async (t) => {
  const directory = t.testdir()
  await create(directory).close()
  const lock = lockFile(databaseOf(directory))
  rmSync(lock)
  const ledger = open(directory)
  const { size, mtimeMs } = statSync(lock)
  t.ok(size > 0, "its page is written when the ledger is opened: a full disk later cannot fail half a commit")
  await ledger.commit([creation("org")])
  t.strictSame([statSync(lock).size, statSync(lock).mtimeMs], [size, mtimeMs])
  await ledger.close()
})

t.test("a ledger that cannot be opened leaves none of its files open", async (t) => {
  const directory = t.testdir()
  writeFileSync(databaseOf(directory), "not a database".repeat(100))
  const opened = () => readdirSync("/dev/fd").length
  const before = opened()
  for (let round = 0; round < 20; round++)
    t.equal(
      codeOf(() => open(directory)),
      "LEDGER_DAMAGED",
    )
  t.ok(opened() < before + 20, `${before} files before, ${opened()} after`)
})

/** Files that are opened and synced from now on, and the number of those that are open. */
function observe(t: Test) {
  const { openSync, fsyncSync, closeSync } = fs
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
    closeSync(descriptor: number) {
      opened.delete(descriptor)
      closeSync(descriptor)
    },
  })
  return { opened, synced }
}

t.test("C1: a new ledger's files are synced, and last the directory with their names", async (t) => {
  const directory = t.testdir()
  const { opened, synced } = observe(t)
  createLedger({ directory, key: KEY })
  const database = databaseOf(directory)
  t.strictSame(synced, [database, lockFile(database), join(directory, "ledger.witness"), directory])
  t.equal(opened.size, 0, "all are closed")
  await open(directory).close()
  t.equal(opened.size, 0, "those of a ledger that was closed too")
})

t.test("a directory that others could read is closed to them", async (t) => {
  const directory = t.testdir()
  chmodSync(directory, 0o755)
  createLedger({ directory, key: KEY })
  t.equal(statSync(directory).mode & 0o777, 0o700)
})

t.test("no file is left of an incomplete ledger, and its directory is synced", async (t) => {
  const directory = t.testdir()
  createLedger({ directory, key: KEY })
  for (const ending of ["wal", "shm", "journal"]) writeFileSync(`${databaseOf(directory)}-${ending}`, "")
  const { synced } = observe(t)
  removeFiles(ledgerFiles(directory))
  t.strictSame(readdirSync(directory), [])
  t.strictSame(synced, [directory])
  removeFiles(ledgerFiles(join(directory, "nowhere")))
})

t.test("both connections sync each transaction, and take nothing from the file but data", async (t) => {
  const { connection, ledger } = serve(t.testdir(), () => t.fail("terminated"))
  const second = openSecondConnection(connection.location()!)
  for (const one of [connection, second]) {
    const valueOf = (pragma: string) => Object.values(one.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]
    const values = {
      journal_mode: "wal",
      synchronous: 2,
      wal_autocheckpoint: 0,
      trusted_schema: 0,
      cell_size_check: 1,
      temp_store: 2,
      cache_size: -65_536,
      cache_spill: 0,
    }
    for (const [pragma, value] of Object.entries(values)) t.equal(valueOf(pragma), value, pragma)
    t.throws(() => one.prepare('SELECT "a name, no text"'))
    t.throws(() => one.enableLoadExtension(true))
  }
  second.close()
  await ledger.close()
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
  await ledger.commit([creation("org")])
  t.equal(ledger.isFull(), false)
  await ledger.close()
})
