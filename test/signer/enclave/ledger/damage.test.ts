import type { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import t from "tap"
import { type LedgerRow, ROW_KINDS, type RowKind } from "../../../../signer/enclave/ledger/ledger.ts"
import { creation, bytes, codeOf, copy, create, head, open, tamper, update } from "./harness.ts"

const rowsOf = (place: string): LedgerRow[] =>
  ROW_KINDS.map((kind) => ({ kind, key: "key", value: bytes(`${place} ${kind}`), expiresMs: 1e12 }))

/** Two ledgers of two organizations with a row of each kind: `current`, and `old` before the rows were rewritten. */
async function build(root: string) {
  const old = join(root, "old")
  const ledger = create(old)
  await ledger.commit([creation("org", rowsOf("first")), creation("twin", rowsOf("twin"))])
  await ledger.close()
  const current = copy(old, join(root, "current"))
  const later = open(current)
  await later.commit([update("org", { head: head(2), put: rowsOf("second") })])
  await later.close()
  return { root, old, current }
}

type Edit = (database: DatabaseSync, kind: RowKind, old: string) => void

const EDITS: Record<string, Edit> = {
  "with another value": (db, kind) =>
    db.prepare("UPDATE entry SET value = x'00' WHERE organization_id = 'org' AND kind = ?").run(kind),
  "with another expiry": (db, kind) =>
    db.prepare("UPDATE entry SET expires_ms = 1 WHERE organization_id = 'org' AND kind = ?").run(kind),
  "without its expiry": (db, kind) =>
    db.prepare("UPDATE entry SET expires_ms = NULL WHERE organization_id = 'org' AND kind = ?").run(kind),
  "under another key": (db, kind) =>
    db.prepare("UPDATE entry SET key = 'other' WHERE organization_id = 'org' AND kind = ?").run(kind),
  "under another kind": (db, kind) =>
    db.prepare("UPDATE entry SET kind = 'other' WHERE organization_id = 'org' AND kind = ?").run(kind),
  "with another fence": (db, kind) =>
    db.prepare("UPDATE entry SET fence = 0 WHERE organization_id = 'org' AND kind = ?").run(kind),
  "with another epoch": (db, kind) =>
    db.prepare("UPDATE entry SET epoch = 1 WHERE organization_id = 'org' AND kind = ?").run(kind),
  removed: (db, kind) => db.prepare("DELETE FROM entry WHERE organization_id = 'org' AND kind = ?").run(kind),
  "moved to another organization": (db, kind) => {
    db.prepare("DELETE FROM entry WHERE organization_id = 'twin' AND kind = ?").run(kind)
    db.prepare("UPDATE entry SET organization_id = 'twin' WHERE organization_id = 'org' AND kind = ?").run(
      kind,
    )
  },
  "swapped with another organization's": (db, kind) => {
    const move = db.prepare("UPDATE entry SET organization_id = ? WHERE organization_id = ? AND kind = ?")
    for (const [to, from] of [
      ["", "org"],
      ["org", "twin"],
      ["twin", ""],
    ])
      move.run(to ?? "", from ?? "", kind)
  },
  "with another organization's value": (db, kind) =>
    db
      .prepare(
        `UPDATE entry SET (value, mac) = (SELECT value, mac FROM entry WHERE organization_id = 'twin' AND kind = ?1)
         WHERE organization_id = 'org' AND kind = ?1`,
      )
      .run(kind),
  "restored as it was before": (db, kind, old) => {
    db.prepare("ATTACH ? AS old").run(join(old, "ledger.sqlite"))
    const sql = `UPDATE entry SET (value, mac) =
      (SELECT value, mac FROM old.entry WHERE organization_id = 'org' AND kind = ?1)
      WHERE organization_id = 'org' AND kind = ?1`
    db.prepare(sql).run(kind)
  },
  doubled: (db, kind) =>
    db
      .prepare(
        `INSERT INTO entry (organization_id, kind, key, expires_ms, fence, epoch, value, mac)
         SELECT organization_id, kind, 'second', expires_ms, fence, epoch, value, mac FROM entry
         WHERE organization_id = 'org' AND kind = ?`,
      )
      .run(kind),
}

t.test("A3: an organization is refused when one of its rows, of any kind, is", async (t) => {
  const { root, old, current } = await build(t.testdir())
  for (const [title, edit] of Object.entries(EDITS)) {
    for (const kind of ROW_KINDS) {
      const directory = copy(current, join(root, `${title} ${kind}`))
      tamper(directory, (database) => edit(database, kind, old))
      const ledger = open(directory)
      t.equal(
        codeOf(() => ledger.head("org")),
        "LEDGER_DAMAGED",
        `${title}: ${kind}, head`,
      )
      t.equal(
        codeOf(() => ledger.row("org", kind, "key")),
        "LEDGER_DAMAGED",
        `${title}: ${kind}, row`,
      )
      t.equal(
        codeOf(() => ledger.rows("org", kind)),
        "LEDGER_DAMAGED",
        `${title}: ${kind}, rows`,
      )
      await t.rejects(ledger.commit([update("org", { expect: head(2), head: head(3) })]), {
        code: "LEDGER_DAMAGED",
      })
      await ledger.commit([creation("stranger")])
      await ledger.close()
    }
  }
})

t.test("A3: both organizations are served when nothing was altered", async (t) => {
  const { current } = await build(t.testdir())
  const ledger = open(current)
  t.strictSame(ledger.head("org"), head(2))
  t.strictSame(ledger.head("twin"), head(1))
  for (const row of rowsOf("second")) t.strictSame(ledger.row("org", row.kind, row.key), row.value)
  await ledger.close()
})

t.test("A3: an organization whose head was altered is refused", async (t) => {
  const { root, current } = await build(t.testdir())
  for (const column of [
    "version = x'0000000000000001'",
    "version = x'02'",
    "digest = zeroblob(32)",
    "digest = x''",
  ]) {
    const directory = copy(current, join(root, column))
    tamper(directory, (database) => database.exec(`UPDATE organization SET ${column} WHERE id = 'org'`))
    const ledger = open(directory)
    t.equal(
      codeOf(() => ledger.head("org")),
      "LEDGER_DAMAGED",
      column,
    )
    t.strictSame(ledger.head("twin"), head(1))
    await ledger.close()
  }
})

t.test("A3: a purge keeps a damaged organization's rows and removes all others", async (t) => {
  const { current } = await build(t.testdir())
  const drop = "UPDATE entry SET value = x'00' WHERE organization_id = 'org' AND kind = 'name'"
  tamper(current, (database) => {
    database.exec(drop)
    database.exec(
      "INSERT INTO entry SELECT 999, 'ghost', kind, key, expires_ms, fence, epoch, value, mac FROM entry LIMIT 1",
    )
  })
  const ledger = open(current)
  t.equal(await ledger.purge(2e12), ROW_KINDS.length)
  t.equal(ledger.rows("twin", "record").length, 0)
  await t.rejects(
    ledger.commit([creation("ghost")]),
    { code: "LEDGER_DAMAGED" },
    "rows without an organization",
  )
  await ledger.close()
})
