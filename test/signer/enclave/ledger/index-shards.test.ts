// Index shards, which have no document, and the sequence that a change notes.
import t from "tap"
import { changedAt, type IndexChange, type LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { bytes, create, creation, head, open, tamper, update } from "./harness.ts"
import { GROUPED, limits, row } from "./overflow-harness.ts"

const BUSY = { code: "ORGANIZATION_BUSY" }
const SHARD = "org#identities-1"
const identity = (key: string, value: string): LedgerRow => row("identity", key, value)

/** A change of the row `mail`: its new value is `next` of the present one. */
const updating = (next: (value: string | undefined) => string | undefined): IndexChange => {
  const nextBytes = (value: Uint8Array | undefined) => {
    const text = next(value && Buffer.from(value).toString())
    return text === undefined ? undefined : bytes(text)
  }
  return { shard: SHARD, update: [{ kind: "identity", key: "mail", next: nextBytes }] }
}

t.test("an index shard exists from its first row, also after a restart", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  t.equal(ledger.row(SHARD, "identity", "mail"), undefined)
  await ledger.commit([creation("org")], [{ shard: SHARD, put: [identity("mail", "child")] }])
  t.strictSame(ledger.head(SHARD), { version: 0n, digest: new Uint8Array(32) })
  await ledger.commit([], [{ shard: SHARD, put: [identity("login", "other")] }])
  await ledger.close()
  const again = open(directory)
  t.strictSame(again.row(SHARD, "identity", "mail"), bytes("child"))
  t.strictSame(again.row(SHARD, "identity", "login"), bytes("other"))
  await again.close()
})

t.test("a row of an index shard is written anew from its value within the transaction", async (t) => {
  const ledger = create(t.testdir())
  const appending = (text: string) => updating((value) => `${value ?? "none"} ${text}`)
  await Promise.all(["one", "two"].map((text) => ledger.commit([], [appending(text)])))
  t.strictSame(ledger.row(SHARD, "identity", "mail"), bytes("none one two"))
  await ledger.commit([], [updating(() => undefined)])
  t.equal(ledger.row(SHARD, "identity", "mail"), undefined)
  await ledger.commit([], [appending("three")])
  t.strictSame(ledger.row(SHARD, "identity", "mail"), bytes("none three"))
  await ledger.close()
})

t.test("a change of an index shard is refused whole where a row that must be absent exists", async (t) => {
  const ledger = create(t.testdir())
  const mail = identity("mail", "child")
  await ledger.commit([], [{ shard: SHARD, put: [mail], mustBeAbsent: [mail] }])
  const twice = { shard: SHARD, put: [identity("mail", "twice")], mustBeAbsent: [mail] }
  await t.rejects(ledger.commit([creation("second")], [twice]), BUSY)
  t.equal(ledger.head("second"), undefined)
  t.strictSame(ledger.row(SHARD, "identity", "mail"), bytes("child"))
  await ledger.close()
})

t.test("A3: rows of an index shard that was never created are refused", async (t) => {
  const directory = t.testdir()
  const made = create(directory)
  await made.commit([creation("org", [identity("mail", "child")])])
  await made.close()
  tamper(directory, (database) => database.exec(`UPDATE entry SET organization_id = '${SHARD}'`))
  const ledger = open(directory)
  const change = { shard: SHARD, put: [identity("login", "new")] }
  await t.rejects(ledger.commit([], [change]), { code: "LEDGER_DAMAGED" })
  await ledger.close()
})

t.test("a change notes the sequence of its transaction where it is asked to", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([creation("org"), creation("other")])
  t.equal(changedAt(ledger, "org"), 0n)
  await ledger.commit([update("org", { head: head(2), notesSequence: true })])
  const sequence = ledger.sequence()
  t.equal(changedAt(ledger, "org"), sequence)
  t.strictSame(ledger.organizations("", 10), [
    { organizationId: "org", version: 2n, sequence },
    { organizationId: "other", version: 1n, sequence: 0n },
  ])
  await ledger.commit([update("org", { expect: head(2), head: head(3) })])
  t.equal(changedAt(ledger, "org"), sequence)
  await ledger.close()
})

t.test("a row may be absent from an overflow shard that has other rows", async (t) => {
  const ledger = create(t.testdir(), { limits })
  await ledger.commit([creation("org")])
  // A group has 16 overflow shards: of 17 rows at least two are in one.
  for (let member = 0; member < limits.ownRows + 17; member++) {
    const added = row(GROUPED, `group/${member}`)
    await ledger.commit([update("org", { put: [added], mustBeAbsent: [added] })])
  }
  t.equal(ledger.rows("org", GROUPED).length, limits.ownRows + 17)
  await ledger.close()
})
