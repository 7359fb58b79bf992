import t from "tap"
import { runAtOnce } from "../../../../signer/core/turns/steps.ts"
import type { LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { add, LedgerMac } from "../../../../signer/enclave/ledger/mac.ts"
import type { StoredRow } from "../../../../signer/enclave/ledger/statements.ts"
import { verifyRow, verifyRows } from "../../../../signer/enclave/ledger/verify-shard.ts"
import { bytes, head, KEY } from "./harness.ts"

const SHARD = "org"
const authenticator = new LedgerMac(KEY, new Uint8Array(32).fill(9))
const row = (key: string, kind: LedgerRow["kind"] = "record") => ({ kind, key, value: bytes(key) })

/** Verifies a shard that contains these rows, each with its own MAC, and whose head says that it does. */
function verifying(rows: readonly LedgerRow[]) {
  const stored: StoredRow[] = rows.map((each) => ({ row: each, mac: authenticator.row(SHARD, each).mac }))
  const sum = rows.reduce((total, each) => add(total, authenticator.row(SHARD, each).element), 0n)
  const mac = authenticator.organizationMac(SHARD, head(1), rows.length, sum)
  const statements = { entries: () => stored }
  return verifyRows(SHARD, { head: head(1), mac }, { statements, authenticator } as never)
}

t.test("A3: rows out of order are refused, though each of them is authentic", async (t) => {
  const orders = {
    "two rows exchanged": [row("b"), row("a")],
    "one row twice": [row("a"), row("a")],
    "an empty key twice": [row(""), row("")],
    "kinds exchanged": [row("a", "record"), row("b", "name")],
    "a key that goes on after another ends": [row("ab"), row("a")],
  }
  for (const [title, rows] of Object.entries(orders)) {
    const message = "the ledger's index is out of order"
    t.throws(() => runAtOnce(verifying(rows)), { code: "LEDGER_DAMAGED", message }, title)
  }
  const ordered = [row("z", "name"), row("", "record"), row("a"), row("ab")]
  t.match(runAtOnce(verifying(ordered)), { head: head(1), rowCount: 4 })
})

t.test("A3: a row whose value or MAC was altered is refused, by itself and in its shard", async (t) => {
  const { mac } = authenticator.row(SHARD, row("a"))
  const altered: StoredRow[] = [
    { row: { ...row("a"), value: bytes("b") }, mac },
    { row: row("a"), mac: authenticator.row(SHARD, row("b")).mac },
    { row: row("a"), mac: authenticator.row("other", row("a")).mac },
  ]
  const message = "a row of the ledger was altered"
  for (const stored of altered)
    t.throws(() => verifyRow(SHARD, stored, authenticator), { code: "LEDGER_DAMAGED", message })
  t.equal(verifyRow(SHARD, { row: row("a"), mac }, authenticator), authenticator.row(SHARD, row("a")).element)
})

t.test("a shard pauses after each twenty rows", async (t) => {
  const rows = Array.from({ length: 45 }, (_, index) => row(String(index).padStart(2, "0")))
  for (const [length, pauses] of [
    [19, 0],
    [20, 1],
    [45, 2],
  ] as const)
    t.equal([...verifying(rows.slice(0, length))].length, pauses)
})
