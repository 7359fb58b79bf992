import t, { type Test } from "tap"
import { describeNewer, RollbackDetector } from "../../../../../signer/enclave/execution/state/rollback.ts"
import type { Ledger } from "../../../../../signer/enclave/ledger/ledger.ts"
import { create, open } from "../../ledger/harness.ts"

const ORGANIZATION = "00000000-0000-4000-8000-000000000001"
const RECORD = "00000000-0000-7000-8000-000000000002"
const ERA = 2n ** 32n
const NOW_MS = 1_700_000_000_000
const OLDER = { code: "LEDGER_OLDER" }

function setup(t: Test) {
  const directory = t.testdir()
  const found: bigint[] = []
  const detecting = (ledger: Ledger) => new RollbackDetector(ledger, ({ version }) => found.push(version))
  let ledger = create(directory)
  t.teardown(() => ledger.close())
  const restarted = async () => {
    await ledger.close()
    ledger = open(directory)
    return detecting(ledger)
  }
  return { detector: detecting(ledger), ledger, found, restarted }
}

const newer = (version: bigint) => ({ organizationId: ORGANIZATION, version, ledgerVersion: version - 1n })

t.test("A3: the first newer state halts the signer at once, and after a restart", async (t) => {
  const { detector, found, restarted } = setup(t)
  t.doesNotThrow(() => detector.requireNone())
  t.equal(detector.found, undefined)
  for (const version of [5n, 9n]) t.match(detector.report(newer(version)), OLDER)
  t.same(found, [5n], "one finding")
  for (const one of [detector, await restarted()]) {
    t.throws(() => one.requireNone(), OLDER)
    t.match(one.found, newer(5n))
  }
  t.same(found, [5n])
})

t.test("A3: a finding that a full disk cannot store halts the signer all the same", async (t) => {
  const ledger = {
    row: () => undefined,
    head: () => ({ version: 0n, digest: new Uint8Array(32) }),
    commit: () => Promise.reject(new Error("disk full")),
    beginEpoch: () => Promise.resolve(),
  }
  const detector = new RollbackDetector(ledger as never, () => {})
  t.match(detector.report(newer(5n)), OLDER)
  await new Promise((resolve) => setImmediate(resolve))
  t.throws(() => detector.requireNone(), OLDER)
  await t.rejects(detector.accept(NOW_MS), { message: "disk full" })
  t.throws(() => detector.requireNone(), OLDER, "what was not stored was not accepted")
})

t.test("A3: state that was given up is no evidence, and later versions are above it", async (t) => {
  const { detector, found, restarted } = setup(t)
  t.equal(detector.latest(7n), 7n, "nothing is given up yet")
  detector.report(newer(5n))
  await detector.accept(NOW_MS)
  for (const one of [detector, await restarted()]) {
    t.doesNotThrow(() => one.requireNone())
    t.equal(one.report(newer(ERA)), undefined)
    t.equal(one.report(newer(1n)), undefined)
    t.equal(one.latest(1n), ERA)
    t.equal(one.latest(ERA), ERA)
    t.equal(one.latest(ERA + 1n), ERA + 1n)
  }
  t.same(found, [5n])
})

t.test("A3: an operator who restored the ledger gives up state that nobody showed", async (t) => {
  const { detector, found, restarted } = setup(t)
  await detector.accept(NOW_MS)
  for (const one of [detector, await restarted()]) {
    t.equal(one.latest(7n), ERA)
    t.equal(one.report(newer(7n)), undefined)
  }
  t.same(found, [])
})

t.test("A3: each time that state is given up, versions begin above all that were issued", async (t) => {
  const { detector, found } = setup(t)
  for (const [version, latest] of [
    [5n, ERA],
    [ERA + 1n, 2n * ERA],
    [7n * ERA, 8n * ERA],
  ] as const) {
    t.match(detector.report(newer(version)), OLDER)
    await detector.accept(NOW_MS)
    t.equal(detector.latest(0n), latest)
  }
  t.equal(found.length, 3)
})

t.test("the operator reads which state was newer", async (t) => {
  const $typeName = "countersign.state.v1.NewerState" as const
  const shown = { $typeName, ...newer(5n) }
  const end = `of organization ${ORGANIZATION} was shown at version 5, the ledger has 4`
  t.equal(describeNewer({ ...shown, recordId: "" }), `the document ${end}`)
  t.equal(describeNewer({ ...shown, recordId: RECORD }), `record ${RECORD} ${end}`)
})
