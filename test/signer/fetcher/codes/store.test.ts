import { spawn } from "node:child_process"
import { copyFileSync, existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import t from "tap"
import type { CodeRow, CodeRowKind } from "../../../../signer/fetcher/codes/row-mac.ts"
import { CodeStore } from "../../../../signer/fetcher/codes/store.ts"
import { newIdentity, newStoreFile } from "../../../harness/fetcher.ts"
import { writerKey } from "./store-writer.ts"

const WRITER = join(import.meta.dirname, "store-writer.ts")

const key = newIdentity().codeKeys.store
const id = (number: number) => Buffer.alloc(16, number)
const row = (number: number, value = "one", kind: CodeRowKind = "contact", expiresMs = 1000): CodeRow => ({
  kind,
  key: id(number),
  expiresMs,
  value: Buffer.from(value),
})

/** Runs SQL on the file of a store that no process has open. */
function tamper(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

t.test("keeps rows across a restart, and counts its changes", async (t) => {
  const file = newStoreFile()
  const store = CodeStore.open(file, key)
  t.equal(store.sequence, 1n, "its creation")
  store.write({ put: [row(1), row(2)] })
  store.write({ put: [row(1, "other")], remove: [row(2), row(3)] })
  store.close()
  const again = CodeStore.open(file, key)
  t.teardown(() => again.close())
  t.equal(again.sequence, 3n)
  t.strictSame(Buffer.from(again.get("contact", id(1))!), Buffer.from("other"))
  t.equal(again.get("contact", id(2)), undefined)
  t.equal(again.get("code", id(1)), undefined, "kinds have keys of their own")
  t.equal(statSync(file).mode & 0o077, 0, "nobody else reads it")
})

t.test("one process uses it at a time", async (t) => {
  const file = newStoreFile()
  const store = CodeStore.open(file, key)
  t.throws(() => CodeStore.open(file, key), { status: 5, message: /another fetcher runs/ })
  store.close()
  CodeStore.open(file, key).close()
})

t.test("a row that was altered, removed or put back stops the start", async (t) => {
  const attacks = {
    altered: "UPDATE entry SET value = x'00'",
    prolonged: "UPDATE entry SET expires_ms = 2000",
    removed: "DELETE FROM entry",
    renamed: "UPDATE entry SET kind = 'order'",
    "with its sum": "UPDATE state SET sum = zeroblob(32); DELETE FROM entry",
    "with a lower sequence": "UPDATE state SET sequence = 1",
    "without its state": "DELETE FROM state",
    "with a trigger": "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
    "of another format": "PRAGMA user_version = 2",
  }
  for (const [what, sql] of Object.entries(attacks)) {
    const file = newStoreFile()
    const store = CodeStore.open(file, key)
    store.write({ put: [row(1)] })
    store.close()
    const copy = `${file}.copy`
    copyFileSync(file, copy)
    tamper(file, sql)
    t.throws(() => CodeStore.open(file, key), { status: 1, message: /cannot be used/ }, what)
    CodeStore.open(copy, key).close()
  }
})

t.test("an older row cannot be put back beside newer ones", async (t) => {
  const file = newStoreFile()
  const store = CodeStore.open(file, key)
  store.write({ put: [row(1, "no attempts"), row(2)] })
  store.close()
  const older = `${file}.older`
  copyFileSync(file, older)
  const next = CodeStore.open(file, key)
  next.write({ put: [row(1, "three attempts")] })
  next.close()
  const database = new DatabaseSync(file)
  database.exec(`ATTACH '${older}' AS older`)
  database.exec("DELETE FROM entry WHERE key = x'01010101010101010101010101010101'")
  database.exec("INSERT INTO entry SELECT * FROM older.entry WHERE key = x'01010101010101010101010101010101'")
  database.close()
  t.throws(() => CodeStore.open(file, key), { status: 1, message: /a row is missing, or is older/ })
})

t.test("a store of another seed is refused", async (t) => {
  const file = newStoreFile()
  CodeStore.open(file, key).close()
  t.throws(() => CodeStore.open(file, newIdentity().codeKeys.store), { message: /belongs to another seed/ })
})

t.test("a purge removes what has expired, and gives its room back", async (t) => {
  const file = newStoreFile()
  const store = CodeStore.open(file, key)
  const many = Array.from({ length: 1200 }, (_, number) => {
    const name = Buffer.alloc(16)
    name.writeUInt32BE(number)
    return { ...row(0, "x".repeat(300), "code"), key: name }
  })
  store.write({ put: [...many, row(1, "kept", "contact", 1001)] })
  t.equal(store.purge(999), 0)
  t.equal(store.purge(1000), 1200)
  t.ok(store.get("contact", id(1)))
  t.equal(store.purge(1000), 0)
  store.close()
  t.ok(statSync(file).size < 1200 * 200, "less than 200 bytes for each")
  CodeStore.open(file, key).close()
})

t.test("removes all rows of a kind, and continues after the sequence that was asked for", async (t) => {
  const store = CodeStore.open(newStoreFile(), key)
  t.teardown(() => store.close())
  store.write({ put: [row(1, "code", "code"), row(1)] })
  store.removeAll("code", 40n)
  t.equal(store.sequence, 41n)
  t.equal(store.get("code", id(1)), undefined)
  t.ok(store.get("contact", id(1)))
})

/** The rows that another process would find if this one ended now. */
function foundAfterCrash(file: string, count: number): number[] {
  const copy = newStoreFile()
  for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix)
  const store = CodeStore.open(copy, key)
  const found = Array.from({ length: count }, (_, number) => number)
  const rows = found.filter((number) => store.get("contact", id(number)) !== undefined)
  store.close()
  return rows
}

t.test("C1: changes of one turn become durable together, and are acknowledged only then", async (t) => {
  const file = newStoreFile()
  const store = CodeStore.open(file, key)
  t.teardown(() => store.close())
  const waits = [0, 1, 2].map((number) => {
    store.write({ put: [row(number)] })
    t.ok(store.get("contact", id(number)), "later reads see it at once")
    return store.whenDurable()
  })
  t.match(
    { sequence: store.sequence, durableSequence: store.durableSequence },
    { sequence: 4n, durableSequence: 1n },
  )
  await Promise.resolve()
  t.strictSame(foundAfterCrash(file, 3), [], "nothing is durable before it is acknowledged")
  await waits[0]
  t.equal(store.durableSequence, 4n)
  t.strictSame(foundAfterCrash(file, 3), [0, 1, 2], "one wait is the wait of all")
  await Promise.all(waits)
  await store.whenDurable()
  t.equal(store.durableSequence, 4n, "without changes there is nothing to wait for")
})

t.test("C1: changes that a fault undid are acknowledged to no caller of their turn", async (t) => {
  const file = newStoreFile()
  const store = CodeStore.open(file, key)
  t.teardown(() => store.close())
  const unavailable = { code: "OTP_STORE_UNAVAILABLE" }
  store.write({ put: [row(0)] })
  const first = store.whenDurable()
  const unwritable = { ...row(1), expiresMs: 0.5 }
  t.throws(() => store.write({ put: [unwritable] }), unavailable)
  t.throws(() => store.write({ put: [row(2)] }), unavailable, "nor is another change of this turn made")
  await t.rejects(store.whenDurable(), unavailable, "also to one that asks after the fault")
  await t.rejects(first, unavailable)
  await t.rejects(store.whenDurable(), unavailable)
  t.equal(store.sequence, store.durableSequence)
  t.strictSame(foundAfterCrash(file, 3), [])
})

t.test("C1: kill -9 keeps every change that was acknowledged", async (t) => {
  for (const acknowledged of [1, 40, 400]) {
    const file = newStoreFile()
    const child = spawn(process.execPath, [WRITER, file, key.export().toString("hex")], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const told: number[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      told.push(...line.split(" ").map(Number))
      if (told.length >= acknowledged) child.kill("SIGKILL")
    }
    t.ok(told.length >= acknowledged)
    const store = CodeStore.open(file, key)
    const lost = told.filter((number) => store.get("contact", writerKey(number)) === undefined)
    t.strictSame(lost, [], `${told.length} acknowledged`)
    t.ok(store.sequence >= told.length)
    store.close()
  }
})

t.test("after a fault of its file it serves nothing until the next start", async (t) => {
  const file = newStoreFile()
  const store = CodeStore.open(file, key)
  store.close()
  const unavailable = { code: "OTP_STORE_UNAVAILABLE" }
  t.throws(() => store.write({ put: [row(1)] }), unavailable)
  t.throws(() => store.get("contact", id(1)), unavailable)
  CodeStore.open(file, key).close()
})
