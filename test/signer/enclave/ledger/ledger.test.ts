import t from "tap"
import {
  DEPLOYMENT,
  deploymentChange,
  type LedgerRow,
  OUTCOMES,
  ROW_KINDS,
} from "../../../../signer/enclave/ledger/ledger.ts"
import { creation, bytes, create, head, open, update } from "./harness.ts"

const BUSY = { code: "ORGANIZATION_BUSY" }
const record = (key: string, value: string): LedgerRow => ({ kind: "record", key, value: bytes(value) })

t.test("an organization exists from its first commit, also after a restart", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  t.equal(ledger.head("org"), undefined)
  await ledger.commit([creation("org", [record("wallet", "version 1")])])
  t.strictSame(ledger.head("org"), head(1))
  t.equal(Buffer.from(ledger.row("org", "record", "wallet") ?? []).toString(), "version 1")
  await ledger.close()

  const again = open(directory)
  t.strictSame(again.head("org"), head(1))
  t.equal(Buffer.from(again.row("org", "record", "wallet") ?? []).toString(), "version 1")
  t.equal(again.row("org", "record", "other"), undefined)
  t.equal(again.row("other", "record", "wallet"), undefined)
  await again.close()
})

t.test("rows are distinguished by kind, key and organization", async (t) => {
  const ledger = create(t.testdir())
  const rows = (place: string) =>
    ROW_KINDS.map((kind) => ({ kind, key: "same", value: bytes(`${place} ${kind}`) }))
  await ledger.commit([creation("one", rows("one")), creation("two", rows("two"))])
  for (const place of ["one", "two"]) {
    for (const kind of ROW_KINDS) t.strictSame(ledger.row(place, kind, "same"), bytes(`${place} ${kind}`))
  }
  await ledger.close()
})

t.test("rows of one kind are listed in the order of their keys", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([
    creation("org", [record("b", "2"), record("a", "1"), { ...record("c", "3"), expiresMs: 9 }]),
  ])
  const names = ledger.rows("org", "record").map(({ key, expiresMs }) => [key, expiresMs])
  t.strictSame(names, [
    ["a", undefined],
    ["b", undefined],
    ["c", 9],
  ])
  t.strictSame(ledger.rows("org", "name"), [])
  t.strictSame(ledger.rows("nobody", "record"), [])
  await ledger.close()
})

t.test("the deployment's own rows exist from the start", async (t) => {
  const ledger = create(t.testdir())
  const start = ledger.head(DEPLOYMENT)
  t.strictSame(start, { version: 0n, digest: new Uint8Array(32) })
  const code: LedgerRow = { kind: "setup", key: "code", value: bytes("for a public key") }
  await ledger.commit([
    { organizationId: DEPLOYMENT, expect: start, head: start ?? head(0), put: [code], remove: [] },
  ])
  t.strictSame(ledger.row(DEPLOYMENT, "setup", "code"), code.value)
  await ledger.close()
})

t.test("a change that expects another head is refused and writes nothing", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([creation("org")])
  const put = [record("wallet", "lost")]
  await t.rejects(ledger.commit([creation("org", put)]), BUSY)
  await t.rejects(ledger.commit([update("org", { expect: head(2), head: head(3), put })]), BUSY)
  const sameVersion = { version: 1n, digest: head(2).digest }
  await t.rejects(ledger.commit([update("org", { expect: sameVersion, head: head(3), put })]), BUSY)
  await t.rejects(ledger.commit([update("unknown", { put })]), BUSY)
  t.strictSame(ledger.head("org"), head(1))
  t.equal(ledger.row("org", "record", "wallet"), undefined)
  t.equal(ledger.head("unknown"), undefined)
  await ledger.close()
})

t.test("a change is refused when a row that must be absent exists, even an expired one", async (t) => {
  const ledger = create(t.testdir())
  const fingerprint: LedgerRow = { kind: "fingerprint", key: "ff", value: bytes(""), expiresMs: 5 }
  const once = update("org", { put: [fingerprint], mustBeAbsent: [fingerprint] })
  await ledger.commit([creation("org")])
  await ledger.commit([once])
  ledger.advanceTimeFloor(1000)
  await t.rejects(ledger.commit([once]), BUSY)
  await ledger.close()
})

t.test("changes of several organizations are written all or none", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([creation("parent")])
  const identity: LedgerRow = { kind: "identity", key: "mail", value: bytes("child") }
  const bind = update("parent", { put: [identity], mustBeAbsent: [identity] })
  await ledger.commit([creation("child"), bind])
  await t.rejects(ledger.commit([creation("second child"), bind]), BUSY)
  t.strictSame(ledger.head("child"), head(1))
  t.equal(ledger.head("second child"), undefined)
  await ledger.close()
})

t.test("a change removes rows before it puts rows, and ignores missing ones", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([creation("org", [record("a", "old"), record("b", "old")])])
  const remove = [record("a", ""), record("b", ""), record("c", "")]
  await ledger.commit([update("org", { head: head(2), remove, put: [record("a", "new")] })])
  t.strictSame(ledger.row("org", "record", "a"), bytes("new"))
  t.equal(ledger.row("org", "record", "b"), undefined)
  t.strictSame(ledger.head("org"), head(2))
  await ledger.close()
})

t.test("heads of lower versions and names that are not text are refused", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([creation("org")])
  await ledger.commit([update("org", { head: head(2) })])
  const back = update("org", { expect: head(2), head: head(1) })
  await t.rejects(ledger.commit([back]), RangeError)
  const otherDigest = { version: 2n, digest: head(3).digest }
  await t.rejects(ledger.commit([update("org", { expect: head(2), head: otherDigest })]), RangeError)
  for (const key of ["a\0b", "\ud800"])
    await t.rejects(ledger.commit([creation("new", [record(key, "")])]), RangeError)
  await t.rejects(ledger.commit([creation("a\0b")]), RangeError)
  await t.rejects(ledger.commit([creation("new", [{ ...record("a", ""), expiresMs: -1 }])]), RangeError)
  const strange = { ...record("a", ""), kind: "strange" as "record" }
  await t.rejects(ledger.commit([creation("new", [strange])]), RangeError)
  await t.rejects(
    ledger.commit([{ ...creation("new"), head: { version: 2n ** 64n, digest: bytes("") } }]),
    RangeError,
  )
  t.strictSame(ledger.head("org"), head(2))
  await ledger.close()
})

t.test("a key that is not text has no row, though its text in the file would be another's", async (t) => {
  const ledger = create(t.testdir())
  await ledger.commit([creation("org", [record("\ufffd", "of another key")])])
  t.equal(ledger.row("org", "record", "\ud800"), undefined)
  t.strictSame(ledger.row("org", "record", "\ufffd"), bytes("of another key"))
  await ledger.close()
})

t.test("altering arguments or results does not change the ledger", async (t) => {
  const ledger = create(t.testdir())
  const change = creation("org", [record("a", "value")])
  const committed = ledger.commit([change])
  change.put[0]?.value.fill(0)
  change.head.digest.fill(0)
  await committed
  ledger.row("org", "record", "a")?.fill(0)
  ledger.head("org")?.digest.fill(0)
  t.strictSame(ledger.row("org", "record", "a"), bytes("value"))
  t.strictSame(ledger.head("org"), head(1))
  await ledger.close()
})

t.test(
  "a purge removes what expired by the given time, makes that time the floor, and keeps the rest",
  async (t) => {
    const directory = t.testdir()
    const ledger = create(directory)
    const fingerprint = (key: string, expiresMs: number): LedgerRow => ({
      ...record(key, ""),
      kind: "fingerprint",
      expiresMs,
    })
    const many = Array.from({ length: 1200 }, (_, index) => fingerprint(`old ${index}`, 10))
    await ledger.commit([creation("org", [...many, fingerprint("new", 1001), record("wallet", "stays")])])
    await ledger.commit([creation("other", [fingerprint("old", 1000)])])
    t.equal(await ledger.purge(1000), 1201)
    t.equal(ledger.timeFloorMs(), 1000)
    t.equal(await ledger.purge(1000), 0)
    await ledger.close()

    const again = open(directory)
    t.equal(again.timeFloorMs(), 1000)
    t.equal(again.rows("org", "fingerprint").length, 1)
    t.equal(again.rows("other", "fingerprint").length, 0)
    t.strictSame(again.row("org", "record", "wallet"), bytes("stays"))
    await again.close()
  },
)

t.test("a row that was renewed meanwhile is not purged", async (t) => {
  const ledger = create(t.testdir())
  const code = (expiresMs: number): LedgerRow => ({ ...record("code", ""), expiresMs })
  await ledger.commit([creation("org", [code(10)])])
  const renewed = ledger.commit([update("org", { put: [code(5000)] })])
  t.equal(await ledger.purge(1000), 0)
  await renewed
  t.strictSame(ledger.row("org", "record", "code"), bytes(""))
  await ledger.close()
})

t.test("the position counts each lane's transactions under one identity", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  const { identity } = ledger.position()
  const at = (deployment: bigint, organizations: bigint, epoch = 0) => ({
    identity,
    lanes: [
      { lane: 0, fence: 1, epoch, sequence: deployment },
      { lane: 1, fence: 1, epoch, sequence: organizations },
    ],
  })
  t.strictSame(ledger.position(), at(1n, 1n))
  await ledger.commit([creation("org")])
  t.strictSame(ledger.position(), at(1n, 2n))
  t.equal(ledger.sequence(), 2n)
  await ledger.commit([deploymentChange(ledger, { put: [{ ...record("code", ""), kind: "setup" }] })])
  await ledger.commit([], [{ shard: OUTCOMES, put: [{ ...record("one", ""), kind: "outcome" }] }])
  await ledger.commit([], [{ shard: "#0123", put: [{ ...record("one", ""), kind: "issuer" }] }])
  t.strictSame(ledger.position(), at(3n, 3n))
  await ledger.beginEpoch(0)
  t.strictSame(ledger.position(), at(4n, 4n, 1))
  t.strictSame(ledger.term("org"), { lane: 1, fence: 1, epoch: 1 })
  t.strictSame(ledger.term(DEPLOYMENT), { lane: 0, fence: 1, epoch: 1 })
  await ledger.close()
  await ledger.close()
  await t.rejects(ledger.commit([creation("late")]), { code: "SIGNER_STOPPING" })
})
