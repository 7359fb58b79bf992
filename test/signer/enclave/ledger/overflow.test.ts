import t from "tap"
import { runAtOnce } from "../../../../signer/core/turns/steps.ts"
import type { LedgerRow, RowKind } from "../../../../signer/enclave/ledger/ledger.ts"
import { LedgerMac } from "../../../../signer/enclave/ledger/mac.ts"
import { overflowShard, prefixOfShard } from "../../../../signer/enclave/ledger/overflow.ts"
import { creation, bytes, codeOf, create, head, KEY, open, tamper, update } from "./harness.ts"
import {
  createFilled,
  GROUPED,
  keysOf,
  limits,
  overflowShardsOf,
  OWN_ROWS,
  row,
  rows,
  shardsIn,
} from "./overflow-harness.ts"

t.test("rows that do not fit into an organization's own shard are found in overflow shards", async (t) => {
  const directory = t.testdir()
  await createFilled(directory, 50)
  const shards = shardsIn(directory)
  t.equal(shards.get("org"), OWN_ROWS)
  t.equal(shards.get("other"), 2)
  const overflow = overflowShardsOf("org", shards)
  t.ok(overflow.length > 1)
  const ledger = open(directory, { limits })
  for (const { key, value } of rows(50)) t.strictSame(ledger.row("org", "address", key), value)
  t.equal(ledger.row("org", "address", "key 50"), undefined)
  t.equal(ledger.row("other", "address", "key 40"), undefined, "of another organization")
  t.strictSame(
    ledger.rows("org", "address").map(({ key }) => key),
    rows(50)
      .map(({ key }) => key)
      .toSorted(),
  )
  t.equal(ledger.rows("org", "name").length, 0)
  await ledger.close()
})

t.test("without other limits an organization's own shard has a thousand rows", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory)
  await ledger.commit([creation("org", rows(1001))])
  await ledger.close()
  const counts = [...shardsIn(directory).values()]
  t.strictSame(
    counts.toSorted((one, other) => one - other),
    [1, 1000],
  )
})

t.test("a group read returns the group's rows and no others", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory, { limits })
  const groups = ["a", "a!", "a.", "a0", "aa", "b"]
  const members = Array.from({ length: 20 }, (_, index) => `member ${index}`)
  const put = members.flatMap((member) => groups.map((group) => row(GROUPED, `${group}/${member}`)))
  await ledger.commit([creation("org", put), creation("other", [row(GROUPED, "a/another's")])])
  for (const group of groups) {
    const keys = members.map((member) => `${group}/${member}`)
    t.same(new Set(keysOf(ledger, group)), new Set(keys), group)
    t.equal(keysOf(ledger, group).length, 20)
    for (const atMost of [0, 1, 3, 19]) t.equal(keysOf(ledger, group, atMost).length, atMost)
  }
  t.same(keysOf(ledger, "c"), [])
  t.equal(runAtOnce(ledger.group("nobody", GROUPED, "a", 10)).length, 0)
  await ledger.close()
  const overflow = overflowShardsOf("org", shardsIn(directory))
  t.ok(overflow.length > groups.length, "a group is spread over several shards")
  const beginnings = new Set(overflow.map((shard) => shard.slice(0, -1)))
  t.ok(beginnings.size <= groups.length, "which differ in their last digit")
})

t.test("a group read ends with the shard that has its last row", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory, { limits })
  const put = Array.from({ length: 20 }, (_, index) => row(GROUPED, `a/${index}`))
  await ledger.commit([creation("org", put)])
  t.strictSame(
    ledger.ownRows("org", GROUPED).map(({ key }) => key),
    put.slice(0, OWN_ROWS).map(({ key }) => key),
  )
  await ledger.close()
  tamper(directory, (database) =>
    database.exec("UPDATE entry SET value = x'00' WHERE organization_id LIKE 'org#%'"),
  )
  const opened = open(directory, { limits })
  t.equal(keysOf(opened, "a", OWN_ROWS).length, OWN_ROWS)
  t.equal(
    codeOf(() => keysOf(opened, "a", OWN_ROWS + 1)),
    "LEDGER_DAMAGED",
  )
  await opened.close()
})

t.test("the shards of one name prefix belong to one organization, and other shards have none", async (t) => {
  for (const shard of ["org", "org#identities-1", "org#rows", "#rows-abcd"])
    t.equal(prefixOfShard(shard), undefined)
  t.equal(prefixOfShard("org#rows-abc"), "org#rows-")
  t.equal(prefixOfShard("org#ran-abc"), "org#ran-")
})

t.test("keys of other kinds are spread over all shards, whatever they begin with", async (t) => {
  const authenticator = new LedgerMac(KEY, new Uint8Array(32))
  const shardsOf = (kind: RowKind) =>
    new Set(
      rows(100, kind).map(({ key }) => overflowShard(authenticator, "org", { kind, key: `group/${key}` })),
    )
  t.ok(shardsOf("address").size > 80)
  for (const kind of [GROUPED, "velocity"] as const) t.ok(shardsOf(kind).size <= 16, kind)
})

t.test("A3: a missing row of a group is noticed, in the own shard and in overflow shards", async (t) => {
  const keys = Array.from({ length: 20 }, (_, index) => `a/${index}`)
  for (const key of [keys[0]!, keys[19]!]) {
    const directory = `${t.testdir({})}/l`
    const ledger = create(directory, { limits })
    await ledger.commit([
      creation(
        "org",
        keys.map((each) => row(GROUPED, each)),
      ),
    ])
    await ledger.close()
    tamper(directory, (database) => database.exec(`DELETE FROM entry WHERE key = '${key}'`))
    const opened = open(directory, { limits })
    t.equal(
      codeOf(() => keysOf(opened, "a")),
      "LEDGER_DAMAGED",
      key,
    )
    await opened.close()
  }
})

t.test("overflowExceeds compares the number of rows in overflow shards", async (t) => {
  const ledger = create(t.testdir(), { limits })
  await ledger.commit([creation("org", rows(OWN_ROWS)), creation("other", rows(OWN_ROWS + 10))])
  t.notOk(runAtOnce(ledger.overflowExceeds("org", 0)), "without overflow shards")
  t.notOk(runAtOnce(ledger.overflowExceeds("nobody", 0)))
  t.notOk(runAtOnce(ledger.overflowExceeds("other", 10)))
  t.ok(runAtOnce(ledger.overflowExceeds("other", 9)))
  const [{ kind, key }] = rows(OWN_ROWS + 10).slice(-1) as [LedgerRow]
  await ledger.commit([update("other", { remove: [{ kind, key }] })])
  t.notOk(runAtOnce(ledger.overflowExceeds("other", 9)), "after one was removed")
  await ledger.close()
})

t.test("rows of other kinds stay in the organization's own shard", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory, { limits })
  await ledger.commit([creation("org", rows(20, "pending"))])
  await ledger.close()
  t.strictSame([...shardsIn(directory)], [["org", 20]])
})

t.test("fingerprints overflow to shards of their own", async (t) => {
  const directory = t.testdir()
  const ledger = create(directory, { limits })
  const executed = rows(60, "fingerprint").map((each) => ({ ...each, expiresMs: 5_000 }))
  await ledger.commit([creation("org", [...executed, ...rows(30)])])
  t.notOk(runAtOnce(ledger.overflowExceeds("org", 30)), "fingerprints are not counted")
  for (const { key, value } of executed) t.strictSame(ledger.row("org", "fingerprint", key), value)
  await ledger.close()
  const marks = overflowShardsOf("org", shardsIn(directory)).map((shard) => shard.split("-")[0])
  t.same(new Set(marks), new Set(["org#rows", "org#ran"]))

  const damage = `UPDATE entry SET value = x'00' WHERE organization_id LIKE 'org#ran-%'`
  tamper(directory, (database) => database.exec(damage))
  const opened = open(directory, { limits })
  t.equal(opened.rows("org", "address").length, 30, "reading holdings verifies no fingerprints")
  t.equal(
    codeOf(() => opened.row("org", "fingerprint", "key 59")),
    "LEDGER_DAMAGED",
  )
  t.equal(await opened.purge(5_000), OWN_ROWS, "damaged shards keep their rows")
  await opened.close()
})

t.test("A3: a row of unknown kind keeps its own shard from being purged and no other", async (t) => {
  const expiring = (kind: RowKind) => rows(60, kind).map((each) => ({ ...each, expiresMs: 5_000 }))
  for (const place of ["org", "org#ran", "other"]) {
    const directory = t.testdir({})
    const ledger = create(`${directory}/ledger`, { limits })
    await ledger.commit([creation("org", expiring("fingerprint")), creation("other", expiring("pending"))])
    await ledger.close()
    const shards = shardsIn(`${directory}/ledger`)
    const shard = [...shards.keys()].find((name) => name === place || name.startsWith(`${place}-`))!
    const sql = `UPDATE entry SET kind = 'odd'
      WHERE number = (SELECT min(number) FROM entry WHERE organization_id = '${shard}')`
    tamper(`${directory}/ledger`, (database) => database.exec(sql))
    const opened = open(`${directory}/ledger`, { limits })
    t.equal(await opened.purge(5_000), 120 - shards.get(shard)!, shard)
    await opened.close()
    t.strictSame([...shardsIn(`${directory}/ledger`)], [[shard, shards.get(shard)!]], "its rows stay")
  }
})

t.test("the overflow shard of a row is unpredictable without the key", async (t) => {
  const directory = t.testdir()
  const [one, other] = [`${directory}/one`, `${directory}/other`]
  for (const ledger of [one, other]) await createFilled(ledger, 50)
  const shardsOf = (ledger: string) => overflowShardsOf("org", shardsIn(ledger)).toSorted()
  t.notSame(shardsOf(one), shardsOf(other), "ledgers of one key, with the same rows")
})

t.test("expired rows are purged from any number of shards", async (t) => {
  const batches: number[] = []
  const ledger = create(t.testdir(), { limits, onBatch: (requests) => batches.push(requests) })
  const dated = rows(700, "fingerprint").map((each) => ({ ...each, expiresMs: 5_000 }))
  await ledger.commit([creation("org", dated)])
  t.equal(await ledger.purge(5_000), 700)
  t.strictSame(ledger.rows("org", "fingerprint"), [])
  t.ok(Math.max(...batches) <= 10, "few shards at once, so that other requests find their turn")
  await ledger.close()
})

t.test("a row must be absent from the overflow shards as well", async (t) => {
  const directory = t.testdir()
  await createFilled(directory, 50)
  const ledger = open(directory, { limits })
  for (const { kind, key } of rows(50)) {
    const change = update("org", { mustBeAbsent: [{ kind, key }], put: [row(kind, key, "twice")] })
    await t.rejects(ledger.commit([change]), { code: "ORGANIZATION_BUSY" })
  }
  t.strictSame(ledger.row("org", "address", "key 49"), bytes("key 49"))
  await ledger.close()
})

t.test("a refused change creates no shard", async (t) => {
  const directory = t.testdir()
  await createFilled(directory, OWN_ROWS)
  const ledger = open(directory, { limits })
  const [first] = rows(1)
  const put = [row("address", "new"), row("address", "newer")]
  const refused = ledger.commit([
    update("org", { put }),
    update("other", { mustBeAbsent: [{ kind: "address", key: first!.key }] }),
  ])
  await t.rejects(refused, { code: "ORGANIZATION_BUSY" })
  t.equal(ledger.row("org", "address", "new"), undefined)
  await ledger.commit([update("org", { put: put.slice(1) })])
  t.strictSame(ledger.row("org", "address", "newer"), bytes("newer"))
  await ledger.close()
  t.equal(shardsIn(directory).size, 3, "org, other and one overflow shard")
})

t.test("expired rows in overflow shards are purged", async (t) => {
  const ledger = create(t.testdir(), { limits })
  const dated = rows(30, "archive-record").map((each) => ({ ...each, expiresMs: 5_000 }))
  await ledger.commit([creation("org", dated)])
  t.equal(await ledger.purge(4_999), 0)
  t.equal(await ledger.purge(5_000), 30)
  t.strictSame(ledger.rows("org", "archive-record"), [])
  await ledger.close()
})

t.test("the head is updated when rows are in overflow shards", async (t) => {
  const directory = t.testdir()
  await createFilled(directory, 50)
  const ledger = open(directory, { limits })
  await ledger.commit([update("org", { head: head(2) })])
  t.strictSame(ledger.head("org"), head(2))
  await ledger.close()
})
