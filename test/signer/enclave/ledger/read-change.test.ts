import t from "tap"
import type { LedgerChange, LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { readChange, readIndexChange, requireTime } from "../../../../signer/enclave/ledger/read-change.ts"
import { bytes, creation, head, update } from "./harness.ts"

const row: LedgerRow = { kind: "record", key: "a", value: bytes("value"), expiresMs: 5 }
const MAX_UINT64 = 2n ** 64n - 1n

t.test("a change is read as it was given, with nothing where it says nothing", async (t) => {
  const change = { ...update("org", { put: [row], remove: [row] }), mustBeAbsent: [row], notesSequence: true }
  const name = { kind: "record", key: "a" }
  t.strictSame(readChange(change), { ...change, put: [row], remove: [name], mustBeAbsent: [name] })
  const least = { expect: undefined, put: [], remove: [], mustBeAbsent: [], notesSequence: false }
  t.strictSame(readChange(creation("org")), { organizationId: "org", head: head(1), ...least })
  const lasting: LedgerRow = { kind: "record", key: "", value: bytes("") }
  t.strictSame(readChange(creation("", [lasting])).put, [lasting], "no expiry, and empty names")
})

t.test("an index change is read as it was given, with nothing where it says nothing", async (t) => {
  const next = () => undefined
  const name = { kind: "record" as const, key: "a" }
  const shard = "org#12"
  t.strictSame(readIndexChange({ shard, put: [row], update: [{ ...row, next }], mustBeAbsent: [row] }), {
    shard,
    put: [row],
    update: [{ ...name, next }],
    mustBeAbsent: [name],
  })
  t.strictSame(readIndexChange({ shard }), { shard, put: [], update: [], mustBeAbsent: [] })
})

t.test("what is altered after a change was read does not alter it", async (t) => {
  const value = bytes("value")
  const change = update("org", { put: [{ ...row, value }] })
  const read = readChange(change)
  value.fill(0)
  change.head.digest.fill(0)
  change.expect?.digest.fill(0)
  t.strictSame(read, readChange(update("org", { put: [row] })))
})

t.test("an organization's change names no index shard, and an index change nothing else", async (t) => {
  t.throws(() => readChange(creation("org#12")), { message: /has no document/ })
  t.throws(() => readIndexChange({ shard: "org" }), { message: /is named/ })
  t.throws(() => readIndexChange({ shard: "org#\0" }), { message: /without NUL/ })
})

t.test("a version has 64 bits", async (t) => {
  const at = (version: bigint) => readChange({ ...creation("org"), head: { ...head(1), version } })
  for (const version of [0n, MAX_UINT64]) t.equal(at(version).head.version, version)
  for (const version of [-1n, MAX_UINT64 + 1n]) t.throws(() => at(version), { message: /64 bits/ })
})

t.test("a time is whole milliseconds from 1970", async (t) => {
  for (const timeMs of [0, Number.MAX_SAFE_INTEGER]) t.equal(requireTime(timeMs), timeMs)
  for (const timeMs of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1])
    t.throws(() => requireTime(timeMs), { message: /whole milliseconds/ }, String(timeMs))
  t.throws(() => readChange(creation("org", [{ ...row, expiresMs: -1 }])), RangeError)
})

t.test("names of rows are known kinds and well-formed text, wherever a change names a row", async (t) => {
  const rows: [LedgerRow, RegExp][] = [
    [{ ...row, kind: "strange" as "record" }, /kind of a row/],
    [{ ...row, key: "\0" }, /without NUL/],
    [{ ...row, key: "\ud800" }, /well-formed/],
  ]
  for (const [wrong, message] of rows) {
    const changes: Partial<LedgerChange>[] = [
      { put: [wrong] },
      { remove: [wrong] },
      { mustBeAbsent: [wrong] },
    ]
    for (const change of changes) t.throws(() => readChange(update("org", change)), { message })
    const next = () => undefined
    for (const change of [{ put: [wrong] }, { update: [{ ...wrong, next }] }, { mustBeAbsent: [wrong] }])
      t.throws(() => readIndexChange({ shard: "org#1", ...change }), { message })
  }
  for (const name of ["\0", "\ud800"]) t.throws(() => readChange(creation(name)), { message: /well-formed/ })
})
