import t from "tap"
import { runAtOnce } from "../../../../signer/core/turns/steps.ts"
import type { LaneTerm, LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { add, LedgerMac } from "../../../../signer/enclave/ledger/mac.ts"
import type { StoredRow } from "../../../../signer/enclave/ledger/store.ts"
import { verifyRow, verifyRows } from "../../../../signer/enclave/ledger/verify-shard.ts"
import { bytes, head, KEY } from "./harness.ts"

const SHARD = "org"
const TERM = { lane: 1, fence: 2, epoch: 1 } as const
const authenticator = new LedgerMac(KEY, new Uint8Array(32).fill(9))
const row = (key: string, kind: LedgerRow["kind"] = "record") => ({ kind, key, value: bytes(key) })

/** Verifies a shard that contains these rows, each with its own MAC, and whose head says that it does. */
function verifying(rows: readonly LedgerRow[], term: LaneTerm = TERM) {
  const macOf = (each: LedgerRow) => authenticator.row(term, SHARD, each)
  const stored: StoredRow[] = rows.map((each) => ({ row: each, term, mac: macOf(each).mac }))
  const sum = rows.reduce((total, each) => add(total, macOf(each).element), 0n)
  const mac = authenticator.shardMac(TERM, SHARD, { head: head(1), rowCount: rows.length, sum })
  return verifyRows(SHARD, { head: head(1), term: TERM, mac }, stored, authenticator)
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

t.test("W70: an authentic row of another lane, or newer than its shard, is refused", async (t) => {
  const message = "an item of the ledger is of another lane, or newer than what contains it"
  for (const other of [{ lane: 0 }, { fence: 3 }, { epoch: 2 }] as const)
    t.throws(() => runAtOnce(verifying([row("a")], { ...TERM, ...other })), {
      code: "LEDGER_DAMAGED",
      message,
    })
  for (const older of [{}, { fence: 1 }, { epoch: 0 }])
    t.match(runAtOnce(verifying([row("a")], { ...TERM, ...older })), { rowCount: 1 })
})

t.test("A3: a row whose value or MAC was altered is refused, by itself and in its shard", async (t) => {
  const { mac, element } = authenticator.row(TERM, SHARD, row("a"))
  const altered: StoredRow[] = [
    { row: { ...row("a"), value: bytes("b") }, term: TERM, mac },
    { row: row("a"), term: TERM, mac: authenticator.row(TERM, SHARD, row("b")).mac },
    { row: row("a"), term: TERM, mac: authenticator.row(TERM, "other", row("a")).mac },
    { row: row("a"), term: { ...TERM, lane: 0 }, mac },
    { row: row("a"), term: { ...TERM, fence: 1 }, mac },
    { row: row("a"), term: { ...TERM, epoch: 0 }, mac },
  ]
  const message = "a row of the ledger was altered"
  for (const stored of altered)
    t.throws(() => verifyRow(SHARD, stored, authenticator), { code: "LEDGER_DAMAGED", message })
  t.equal(verifyRow(SHARD, { row: row("a"), term: TERM, mac }, authenticator), element)
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
