// A purge after an organization was deleted: the rows of its overflow shards are removed.
import { join } from "node:path"
import t from "tap"
import { type LedgerRow, REMOVED } from "../../../../signer/enclave/ledger/ledger.ts"
import { bytes, codeOf, creation, create, failAt, open, serve, tamper, update } from "./harness.ts"
import { GROUPED, limits, OWN_ROWS, row, rows, shardsIn } from "./overflow-harness.ts"

const SQLITE_IOERR = 10
const SQLITE_FULL = 13
const removed: LedgerRow = { ...REMOVED, value: bytes("") }
const isMarked = (ledger: ReturnType<typeof create>, organizationId = "org") =>
  ledger.row(organizationId, REMOVED.kind, REMOVED.key) !== undefined

t.test("what is left of a deleted organization is removed, and nothing of others", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory, { limits })
  await ledger.commit([creation("org", rows(40)), creation("other", rows(30)), creation("small", [removed])])
  t.equal(await ledger.purge(1), 0, "before it is deleted")
  await ledger.commit([update("org", { put: [removed] })])
  t.ok(isMarked(ledger))
  t.equal(await ledger.purge(1), 40 - OWN_ROWS)
  t.notOk(isMarked(ledger))
  t.equal(ledger.rows("org", "address").length, OWN_ROWS, "its own shard is its document's")
  t.equal(ledger.rows("other", "address").length, 30)
  t.equal(await ledger.purge(1), 0)
  await ledger.close()
  t.equal(shardsIn(directory).get("org"), OWN_ROWS)
  const again = open(directory, { limits })
  t.equal(again.rows("org", "address").length, OWN_ROWS)
  await again.close()
})

t.test("a row that expired at the beginning of time is purged", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([creation("org", [{ ...row("fingerprint", "first"), expiresMs: 0 }])])
  t.equal(await ledger.purge(0), 1)
  t.equal(ledger.row("org", "fingerprint", "first"), undefined)
  await ledger.close()
})

t.test("a purge counts what expired and what a deleted organization left", async (t) => {
  const ledger = create(t.testdir(), { limits })
  const expired = { ...row("fingerprint", "first"), expiresMs: 1 }
  await ledger.commit([creation("org", [...rows(40), removed]), creation("other", [expired])])
  t.equal(await ledger.purge(1), 40 - OWN_ROWS + 1)
  await ledger.close()
})

t.test("some hundred rows are removed in one transaction", async (t) => {
  let batches = 0
  const ledger = create(t.testdir(), { limits, onBatch: () => (batches += 1) })
  const put = Array.from({ length: 1200 }, (_, index) => row(GROUPED, `group/${index}`))
  await ledger.commit([creation("org", [...put, removed])])
  batches = 0
  t.equal(await ledger.purge(1), 1200 - OWN_ROWS)
  t.ok(batches > 2 && batches < 8, `${batches} transactions for 16 shards`)
  await ledger.close()
})

t.test("A3: a deleted organization that is damaged keeps its rows, and no other does", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory, { limits })
  await ledger.commit(["a", "b", "c"].map((id) => creation(id, [...rows(20), removed])))
  await ledger.close()
  const damage = "UPDATE entry SET value = x'00' WHERE organization_id LIKE 'b#%'"
  tamper(directory, (database) => database.exec(damage))
  const opened = open(directory, { limits })
  t.equal(await opened.purge(1), 2 * (20 - OWN_ROWS))
  t.same(
    ["a", "b", "c"].map((id) => isMarked(opened, id)),
    [false, true, false],
  )
  t.equal(
    codeOf(() => opened.rows("b", "address")),
    "LEDGER_DAMAGED",
  )
  await opened.close()
})

t.test("C2: a purge that cannot be written fails", async (t) => {
  const expired: LedgerRow = { ...row("fingerprint", "old"), expiresMs: 1 }
  for (const [name, put] of Object.entries({ expired: [expired], removed: [...rows(20), removed] })) {
    const directory = join(t.testdir({}), name)
    const { connection, ledger } = serve(directory, () => undefined, { ownRows: OWN_ROWS })
    await ledger.commit([creation("org", put)])
    failAt(connection, "BEGIN", SQLITE_FULL)
    await t.rejects(ledger.purge(1), { code: "LEDGER_FULL" }, name)
    failAt(connection, "BEGIN", SQLITE_IOERR)
    await t.rejects(ledger.purge(1), /disk I\/O error/, name)
    await ledger.close()
  }
})
