import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import t from "tap"
import { type LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import {
  creation,
  bytes,
  codeOf,
  codeOfError,
  copy,
  create,
  databaseOf,
  head,
  open,
  tamper,
  update,
} from "./harness.ts"

const wallet = (value: string): LedgerRow => ({ kind: "record", key: "wallet", value: bytes(value) })

async function build(root: string) {
  const old = join(root, "old")
  const ledger = create(old)
  ledger.advanceTimeFloor(1e12)
  await ledger.commit([creation("org", [wallet("first")]), creation("twin", [wallet("twin")])])
  await ledger.close()
  const current = copy(old, join(root, "current"))
  const later = open(current)
  await later.commit([update("org", { head: head(2), put: [wallet("second")] })])
  await later.close()
  return { root, old, current }
}

const WHOLE_FILE: Record<string, string> = {
  "an organization removed with all its rows":
    "DELETE FROM organization WHERE id = 'org'; DELETE FROM entry WHERE organization_id = 'org'",
  "an organization and its rows as they were before": `
    DELETE FROM organization WHERE id = 'org'; INSERT INTO organization SELECT * FROM old.organization WHERE id = 'org';
    DELETE FROM entry WHERE organization_id = 'org';
    INSERT INTO entry SELECT number + 100, organization_id, kind, key, expires_ms, fence, epoch, value, mac FROM old.entry
      WHERE organization_id = 'org'`,
  "an organization added":
    "INSERT INTO organization SELECT 'new', lane, fence, epoch, version, digest, mac FROM organization LIMIT 1",
  "two organizations exchanged": `UPDATE organization SET id = 'tmp' WHERE id = 'org';
    UPDATE organization SET id = 'org' WHERE id = 'twin'; UPDATE organization SET id = 'twin' WHERE id = 'tmp'`,
  "older rows of the lanes": "DELETE FROM lane; INSERT INTO lane SELECT * FROM old.lane",
  "no row of a lane": "DELETE FROM lane WHERE number = 0",
  "a third lane":
    "INSERT INTO lane SELECT 2, fence, epoch, sequence, floor_ms, quiet_until_ms, mac FROM lane LIMIT 1",
  "a lane under another's number": "DELETE FROM lane WHERE number = 0; UPDATE lane SET number = 0",
  "two lanes exchanged": `UPDATE lane SET number = 7 WHERE number = 0; UPDATE lane SET number = 0 WHERE number = 1;
    UPDATE lane SET number = 1 WHERE number = 7`,
  "an organization in the deployment's lane": "UPDATE organization SET lane = 0 WHERE id = 'org'",
  "an unknown lane": "UPDATE organization SET lane = 2 WHERE id = 'org'",
  "a lower fence": "UPDATE lane SET fence = 0",
  "a higher fence": "UPDATE lane SET fence = 2",
  "a higher epoch": "UPDATE lane SET epoch = 1",
  "a shard of a higher fence": "UPDATE organization SET fence = 2 WHERE id = 'org'",
  "a shard of a higher epoch": "UPDATE organization SET epoch = 1 WHERE id = 'org'",
  "another sequence": "UPDATE lane SET sequence = x'00000000000000ff'",
  "a sequence of another length": "UPDATE lane SET sequence = x'ff'",
  "a lower time floor": "UPDATE lane SET floor_ms = 1 WHERE number = 1",
  "a time beyond numbers": "UPDATE lane SET floor_ms = 9223372036854775807",
  "no identity": "DELETE FROM ledger",
  "a trigger": "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
  "a table of its own": "CREATE TABLE mine (id)",
  "a lost index": "DROP INDEX entry_in_shard",
  "an index in place of another": "DROP INDEX entry_in_shard; CREATE INDEX mine ON entry (kind)",
  "a lost table": "DROP TABLE organization",
  "no format": "PRAGMA user_version = 0",
}

t.test("A3: a ledger does not open with", async (t) => {
  const { root, old, current } = await build(t.testdir())
  for (const [title, sql] of Object.entries(WHOLE_FILE)) {
    const directory = copy(current, join(root, title))
    tamper(directory, (database) => {
      database.prepare("ATTACH ? AS old").run(databaseOf(old))
      database.exec(sql)
    })
    t.equal(
      codeOf(() => open(directory)),
      "LEDGER_DAMAGED",
      title,
    )
  }
  const ledger = open(current)
  t.strictSame(ledger.row("org", "record", "wallet"), bytes("second"), "the unaltered copy opens")
  await ledger.close()
})

/** Sorts a table or index in reverse, and restores the schema's text. */
function disorder(directory: string, name: string, rebuild: string, from: string, to: string): void {
  const rewrite = (one: string, other: string) =>
    tamper(directory, (database) => {
      database.enableDefensive(false)
      database.exec("PRAGMA writable_schema = ON")
      const sql = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?"
      if (database.prepare(sql).run(one, other, name).changes !== 1) throw new Error("nothing to rewrite")
    })
  rewrite(from, to)
  tamper(directory, (database) => database.exec(rebuild))
  rewrite(to, from)
}

t.test("A3: tables in an order that would let a search miss a row are refused", async (t) => {
  const { root, current } = await build(t.testdir())
  const keys = copy(current, join(root, "keys"))
  const more = open(keys)
  await more.commit([update("twin", { put: [{ ...wallet("more"), key: "a" }] })])
  await more.close()
  disorder(keys, "entry_in_shard", "REINDEX", "kind, key)", "kind, key DESC)")
  const ledger = open(keys)
  t.equal(
    codeOf(() => ledger.row("twin", "record", "wallet")),
    "LEDGER_DAMAGED",
  )
  await ledger.close()

  const ids = copy(current, join(root, "ids"))
  const again = `CREATE TEMP TABLE keep AS SELECT * FROM organization;
    DELETE FROM organization; INSERT INTO organization SELECT * FROM keep`
  disorder(ids, "organization", again, "id TEXT PRIMARY KEY,", "id TEXT PRIMARY KEY DESC,")
  t.equal(
    codeOf(() => open(ids)),
    "LEDGER_DAMAGED",
  )
})

t.test("A3: a ledger whose database alone is older than its witness does not open", async (t) => {
  const { old, current } = await build(t.testdir())
  cpSync(databaseOf(old), databaseOf(current))
  t.equal(
    codeOf(() => open(current)),
    "LEDGER_DAMAGED",
  )
})

t.test("A3: a ledger with a missing, cut, altered or foreign witness does not open", async (t) => {
  const { root, current } = await build(t.testdir())
  const other = join(root, "other")
  await create(other).close()
  const attacks: ((witness: string) => void)[] = [
    (witness) => rmSync(witness),
    (witness) => writeFileSync(witness, ""),
    (witness) => writeFileSync(witness, readFileSync(witness).subarray(0, 119)),
    (witness) => writeFileSync(witness, readFileSync(witness).subarray(0, 60)),
    // The deployment's lane, which has fewer transactions, in the place of the organizations'.
    (witness) => {
      const lane = readFileSync(witness).subarray(0, 60)
      writeFileSync(witness, Buffer.concat([lane, lane]))
    },
    // Each lane in the place of the other.
    (witness) => {
      const whole = readFileSync(witness)
      writeFileSync(witness, Buffer.concat([whole.subarray(60), whole.subarray(0, 60)]))
    },
    // A lower sequence of one lane, which its MAC does not cover.
    ...[20, 80].map(
      (at) => (witness: string) => writeFileSync(witness, readFileSync(witness).fill(0, at, at + 8)),
    ),
    (witness) => cpSync(join(other, "ledger.witness"), witness),
  ]
  for (const [index, attack] of attacks.entries()) {
    const directory = copy(current, join(root, `${index}`))
    attack(join(directory, "ledger.witness"))
    t.equal(
      codeOf(() => open(directory)),
      "LEDGER_DAMAGED",
    )
  }
})

t.test("A3: a ledger whose log lost acknowledged commits does not open", async (t) => {
  const root = t.testdir()
  const running = join(root, "running")
  const ledger = create(running)
  await ledger.commit([creation("org", [wallet("first")])])
  await ledger.commit([update("org", { head: head(2), put: [wallet("second")] })])
  const crashed = copy(running, join(root, "crashed"))
  const log = `${databaseOf(crashed)}-wal`
  const whole = readFileSync(log)
  for (const [title, damage] of Object.entries({
    removed: () => rmSync(log),
    cut: () => writeFileSync(log, whole.subarray(0, whole.length - 100)),
    flipped: () =>
      writeFileSync(
        log,
        whole.map((byte, at) => (at === whole.length - 5000 ? byte ^ 1 : byte)),
      ),
  })) {
    damage()
    t.equal(
      codeOf(() => open(copy(crashed, join(root, title)))),
      "LEDGER_DAMAGED",
      title,
    )
  }
  writeFileSync(log, whole)
  const twin = open(crashed)
  t.strictSame(twin.head("org"), head(2), "the unaltered copy opens")
  await twin.close()
  await ledger.close()
})

t.test("A3: a flipped byte anywhere in the files is refused or changes nothing", async (t) => {
  const { root, current } = await build(t.testdir())
  const trial = copy(current, join(root, "trial"))
  for (const file of [databaseOf(trial), join(trial, "ledger.witness")]) {
    const whole = readFileSync(file)
    const step = file.endsWith("witness") ? 1 : 41
    let refused = 0
    for (let at = 0; at < whole.length; at += step) {
      const bad = Buffer.from(whole)
      bad[at] = (bad[at] ?? 0) ^ (1 << (at % 8))
      writeFileSync(file, bad)
      const outcome = await requireWhole(trial).then(() => "none", codeOfError)
      if (outcome !== "none" && !outcome.startsWith("LEDGER_")) t.fail(`byte ${at}: ${outcome}`)
      if (outcome !== "none") refused += 1
    }
    t.ok(refused > (step === 1 ? whole.length - 1 : 20), `${refused} flips refused`)
    writeFileSync(file, whole)
    rmSync(`${databaseOf(trial)}-wal`, { force: true })
  }
  await requireWhole(trial)
})

/** Opens and reads the ledger. @throws when it refuses, or answers anything but what was written */
async function requireWhole(directory: string): Promise<void> {
  const ledger = open(directory)
  try {
    const found = ["org", "twin", "nobody"].map((id) => [ledger.head(id), ledger.row(id, "record", "wallet")])
    const expected = [
      [head(2), bytes("second")],
      [head(1), bytes("twin")],
      [undefined, undefined],
    ]
    if (!isDeepStrictEqual(found, expected)) throw new Error("served what was not written")
    if (ledger.row("org", "fingerprint", "none") !== undefined) throw new Error("served a row of nothing")
    if (ledger.timeFloorMs() !== 1e12) throw new Error("served another time")
  } finally {
    await ledger.close()
  }
}
