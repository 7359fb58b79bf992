import t from "tap"
import fc from "fast-check"
import { creation, bytes, codeOf, create, head, KEY, neverTerminate, open, update } from "./harness.ts"
import { openConnection } from "../../../../signer/enclave/ledger/sqlite/connection.ts"
import { ledgerFiles } from "../../../../signer/enclave/ledger/files.ts"
import { serveLedger } from "../../../../signer/enclave/ledger/local.ts"

t.test("a ledger without cache gives the same answers", async (t) => {
  const ledger = create(t.testdir(), { limits: { organizations: 0, rowBytes: 0 } })
  await ledger.commit([creation("one", [{ kind: "name", key: "k", value: bytes("1") }]), creation("two")])
  await ledger.commit([update("one", { head: head(2), remove: [{ kind: "name", key: "k" }] })])
  t.strictSame(ledger.head("one"), head(2))
  t.equal(ledger.row("one", "name", "k"), undefined)
  t.strictSame(ledger.head("two"), head(1))
  await ledger.close()
})

t.test("a cached row has its present value, whichever shard it moved to", async (t) => {
  const ledger = create(t.testdir(), { limits: { ownRows: 3 } })
  const uncached = new Map<string, string>()
  await ledger.commit([creation("org")])
  const keys = Array.from({ length: 10 }, (_, at) => `key ${at}`)
  for (const [step, [changed, removed]] of fc
    .sample(fc.tuple(fc.subarray(keys), fc.subarray(keys)), 100)
    .entries()) {
    const put = changed.map((key) => ({ kind: "address" as const, key, value: bytes(`${key} ${step}`) }))
    const remove = removed
      .filter((key) => uncached.has(key))
      .map((key) => ({ kind: "address" as const, key }))
    await ledger.commit([update("org", { put, remove })])
    for (const { key } of remove) uncached.delete(key)
    for (const { key } of put) uncached.set(key, `${key} ${step}`)
    for (const key of keys) {
      const value = ledger.row("org", "address", key)
      t.equal(value && Buffer.from(value).toString(), uncached.get(key), `${key} after step ${step}`)
    }
  }
  t.equal(ledger.rows("org", "address").length, uncached.size)
  await ledger.close()
})

t.test("a row that moves to another shard and back in one transaction keeps its last value", async (t) => {
  const ledger = create(t.testdir(), { limits: { ownRows: 1 } })
  const named = (key: string) => ({ kind: "address" as const, key })
  const row = (key: string, value: string) => ({ ...named(key), value: bytes(value) })
  await ledger.commit([creation("org", [row("a", "1")])])
  await ledger.commit([
    update("org", { remove: [named("a")], put: [row("b", "1"), row("a", "2")] }),
    update("org", { remove: [named("b"), named("a")], put: [row("a", "3")] }),
  ])
  t.strictSame(ledger.row("org", "address", "a"), bytes("3"))
  t.strictSame(ledger.rows("org", "address"), [row("a", "3")])
  await ledger.close()
})

t.test("a row read again from disk is verified again", async (t) => {
  const directory = t.testdir()
  const made = create(directory)
  await made.commit([creation("org", [{ kind: "name", key: "k", value: bytes("1") }])])
  await made.close()
  const files = ledgerFiles(directory)
  const connection = openConnection(files.database)
  const limits = { rowBytes: 0 }
  const ledger = serveLedger(connection, files, { directory, key: KEY, terminate: neverTerminate, limits })
  t.strictSame(ledger.row("org", "name", "k"), bytes("1"))
  connection.exec("UPDATE entry SET value = x'32'")
  t.equal(
    codeOf(() => ledger.row("org", "name", "k")),
    "LEDGER_DAMAGED",
  )
  t.equal(
    codeOf(() => ledger.rows("org", "name")),
    "LEDGER_DAMAGED",
  )
  t.equal(
    codeOf(() => ledger.page("org", "name", "", { rows: 1, bytes: 1 })),
    "LEDGER_DAMAGED",
  )
  const replace = update("org", { remove: [{ kind: "name", key: "k" }] })
  await t.rejects(ledger.commit([replace]), { code: "LEDGER_DAMAGED" })
  await ledger.close()
})

t.test("an organization evicted from the cache is verified again", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  await ledger.commit([
    creation("one", [{ kind: "name", key: "k", value: bytes("1") }]),
    creation("two"),
    creation("three"),
  ])
  await ledger.close()

  const files = ledgerFiles(directory)
  const connection = openConnection(files.database)
  const limits = { organizations: 2 }
  const small = serveLedger(connection, files, { directory, key: KEY, terminate: neverTerminate, limits })
  t.strictSame(small.row("one", "name", "k"), bytes("1"))
  connection.exec("DELETE FROM entry")
  t.strictSame(small.head("one"), head(1), "still remembered")
  small.head("two")
  small.head("three")
  t.equal(
    codeOf(() => small.head("one")),
    "LEDGER_DAMAGED",
  )
  t.equal(
    codeOf(() => small.row("one", "name", "k")),
    "LEDGER_DAMAGED",
  )
  await small.close()
  t.equal(
    codeOf(() => open(directory).head("one")),
    "LEDGER_DAMAGED",
  )
})
