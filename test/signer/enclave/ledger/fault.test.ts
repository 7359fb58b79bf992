import t from "tap"
import { LOCKED_OR_UNREACHABLE } from "../../../../signer/core/settings/start-fault.ts"
import { damaged, ledgerClosed } from "../../../../signer/enclave/ledger/refusals.ts"
import { blob, count, guardRead, isDiskFull, text } from "../../../../signer/enclave/ledger/sqlite/fault.ts"
import { bytes } from "./harness.ts"

const DAMAGED = { code: "LEDGER_DAMAGED" }
const CORRUPT = 11

/** As node:sqlite throws it. */
const sqliteError = (errcode: unknown) => Object.assign(new Error("of SQLite"), { errcode })
const failing = (error: unknown) => () =>
  guardRead(() => {
    throw error
  })

t.test("a read's result is given on, and a fault of SQLite means damage", async (t) => {
  t.equal(
    guardRead(() => 7),
    7,
  )
  for (const cause of [sqliteError(CORRUPT), sqliteError(CORRUPT | (1 << 8))])
    t.throws(failing(cause), { ...DAMAGED, cause })
  const cause = Object.assign(new RangeError("too large"), { code: "ERR_OUT_OF_RANGE" })
  t.throws(failing(cause), { ...DAMAGED, cause })
})

t.test("a ledger that another process has open is a fault of the start", async (t) => {
  const message = "another process has this ledger open: a second signer cannot start beside it"
  for (const errcode of [5, 5 | (1 << 8)]) {
    const cause = sqliteError(errcode)
    t.throws(failing(cause), { name: "LedgerInUse", message, status: LOCKED_OR_UNREACHABLE, cause })
  }
})

t.test("other errors of a read stay as they are", async (t) => {
  const others = [
    new Error("no code"),
    sqliteError("11"),
    Object.assign(new Error("other code"), { code: "ENOENT" }),
    { errcode: CORRUPT },
    { code: "ERR_OUT_OF_RANGE" },
  ]
  for (const other of others) {
    const caught = (() => {
      try {
        return failing(other)()
      } catch (error) {
        return error
      }
    })()
    t.equal(caught, other)
  }
})

t.test("only SQLite's code for a full disk counts as a full disk", async (t) => {
  for (const errcode of [13, 13 | (1 << 8)]) t.ok(isDiskFull(sqliteError(errcode)))
  for (const other of [
    sqliteError(CORRUPT),
    sqliteError("13"),
    new Error("none"),
    { errcode: 13 },
    undefined,
  ])
    t.notOk(isDiskFull(other))
})

t.test("a column has the type that it was written with", async (t) => {
  const four = bytes("four")
  t.equal(blob(four), four)
  t.equal(blob(four, 4), four)
  for (const value of ["four", 4, null]) t.throws(() => blob(value), DAMAGED)
  t.throws(() => blob(four, 5), DAMAGED)
  t.equal(text(""), "")
  for (const value of [four, 4, null]) t.throws(() => text(value), DAMAGED)
  for (const value of [0, 7]) t.equal(count(value), value)
  for (const value of [-1, 0.5, 2 ** 53, "1", null]) t.throws(() => count(value), DAMAGED)
})

t.test("refusals name their codes", async (t) => {
  t.notOk("cause" in damaged("of a column"))
  t.match(ledgerClosed(), { code: "SIGNER_STOPPING" })
})
