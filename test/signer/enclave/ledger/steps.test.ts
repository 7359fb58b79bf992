// Shards that are verified in steps: the same checks, a few rows at a time.
import type { DatabaseSync } from "node:sqlite"
import t, { type Test } from "tap"
import { runAtOnce, type Steps } from "../../../../signer/core/turns/steps.ts"
import type { LedgerRow, RowKind } from "../../../../signer/enclave/ledger/ledger.ts"
import { LedgerMac } from "../../../../signer/enclave/ledger/mac.ts"
import { bytes, codeOf, create, creation, open, tamper, turn, update } from "./harness.ts"

const OWN_ROWS = 300
const limits = { ownRows: OWN_ROWS }
const MAX_ROWS_PER_STEP = 20
const row = (kind: RowKind, key: string): LedgerRow => ({ kind, key, value: bytes(key) })
const rows = (count: number) => Array.from({ length: count }, (_, index) => row("address", `key ${index}`))

/** Counts the MACs of rows. */
function countMacs(t: Test): () => number {
  const original = LedgerMac.prototype.row
  let count = 0
  LedgerMac.prototype.row = function (...parameters) {
    count += 1
    return original.apply(this, parameters)
  }
  t.teardown(() => {
    LedgerMac.prototype.row = original
  })
  return () => count
}

async function createFilled(directory: string, count: number): Promise<void> {
  const ledger = create(directory, { limits })
  await ledger.commit([creation("org", rows(count))])
  await ledger.close()
}

t.test("reading prepared rows verifies no further row", async (t) => {
  const directory = t.testdir()
  await createFilled(directory, 700)
  const ledger = open(directory, { limits })
  const macs = countMacs(t)
  let steps = 0
  for (let before = 0, end = false, all: Steps<void> = ledger.prepare("org", rows(700)); !end; steps++) {
    end = all.next().done === true
    t.ok(macs() - before <= MAX_ROWS_PER_STEP, "a step verifies few rows")
    before = macs()
  }
  t.ok(steps > OWN_ROWS / MAX_ROWS_PER_STEP)
  const prepared = macs()
  t.equal(prepared, 700, "each row once")
  for (const { kind, key, value } of rows(700)) t.strictSame(ledger.row("org", kind, key), value)
  t.ok(macs() - prepared <= 700, "each row itself")
  await ledger.close()
})

t.test("the shards of a change are verified in slices, before its transaction begins", async (t) => {
  const directory = t.testdir()
  const COUNT = 5000
  const large = { ownRows: COUNT }
  const made = create(directory, { limits: large })
  await made.commit([creation("org", rows(COUNT))])
  await made.close()
  const ledger = open(directory, { limits: large })
  const macs = countMacs(t)
  const commit = ledger.commit([update("org", { put: [row("name", "new")] })])
  await turn()
  t.ok(macs() < COUNT, "others have their turns meanwhile")
  await commit
  t.ok(macs() >= COUNT)
  await ledger.close()
})

t.test("rows that were not prepared are verified when they are read", async (t) => {
  const directory = t.testdir()
  await createFilled(directory, 700)
  const ledger = open(directory, { limits })
  const macs = countMacs(t)
  ledger.head("org")
  t.equal(macs(), OWN_ROWS)
  t.equal(runAtOnce(ledger.prepare("nobody", rows(3))), undefined)
  t.equal(macs(), OWN_ROWS, "nothing is verified of an organization that does not exist")
  await ledger.close()
})

t.test("a shard that is changed between two steps is known as it is then", async (t) => {
  const directory = t.testdir()
  await createFilled(directory, 700)
  for (const change of [{ put: [row("name", "new")] }, { remove: [row("address", "key 3")] }]) {
    const ledger = open(directory, { limits })
    const steps = ledger.prepare("org", rows(700))
    for (let step = 0; step < 3; step++) t.notOk(steps.next().done, "not yet verified")
    await ledger.commit([update("org", change)])
    runAtOnce(steps)
    await ledger.commit([update("org", { put: [row("name", "later")] })])
    await ledger.close()
  }
  const ledger = open(directory, { limits })
  t.strictSame(ledger.row("org", "name", "new"), bytes("new"))
  t.strictSame(ledger.row("org", "name", "later"), bytes("later"))
  t.equal(ledger.row("org", "address", "key 3"), undefined)
  t.equal(ledger.rows("org", "address").length, 699)
  await ledger.close()
})

t.test(
  "a group is read with the overflow shards that are created while its own shard is verified",
  async (t) => {
    const directory = t.testdir()
    const members = (count: number) =>
      Array.from({ length: count }, (_, index) => row("wallet-account", `a/${index}`))
    const made = create(directory, { limits })
    await made.commit([creation("org", members(OWN_ROWS))])
    await made.close()
    const ledger = open(directory, { limits })
    const steps = ledger.group("org", "wallet-account", "a", 1000)
    t.notOk(steps.next().done)
    await ledger.commit([update("org", { put: members(OWN_ROWS + 20).slice(10) })])
    t.equal(runAtOnce(steps).length, OWN_ROWS + 20)
    await ledger.close()
  },
)

t.test("A3: what was altered, removed or exchanged is refused in steps too", async (t) => {
  const edits: Record<string, (database: DatabaseSync) => void> = {
    "an altered value": (database) => database.exec("UPDATE entry SET value = x'32' WHERE key = 'key 290'"),
    "a removed row": (database) => database.exec("DELETE FROM entry WHERE key = 'key 290'"),
    "a row of an overflow shard": (database) =>
      database.exec(
        "DELETE FROM entry WHERE organization_id <> 'org' AND number = (SELECT max(number) FROM entry)",
      ),
  }
  for (const [name, edit] of Object.entries(edits)) {
    const directory = `${t.testdir({})}/l`
    await createFilled(directory, 700)
    tamper(directory, edit)
    const ledger = open(directory, { limits })
    t.equal(
      codeOf(() => runAtOnce(ledger.prepare("org", rows(700)))),
      "LEDGER_DAMAGED",
      name,
    )
    await t.rejects(ledger.commit([update("org", { remove: rows(700) })]), { code: "LEDGER_DAMAGED" }, name)
    await ledger.close()
  }
})

t.test("steps that are left when the ledger closes are refused as the signer's end", async (t) => {
  const directory = t.testdir()
  await createFilled(directory, 700)
  const ledger = open(directory, { limits })
  const steps = ledger.prepare("org", rows(700))
  t.notOk(steps.next().done)
  await ledger.close()
  t.equal(
    codeOf(() => runAtOnce(steps)),
    "SIGNER_STOPPING",
  )
})
