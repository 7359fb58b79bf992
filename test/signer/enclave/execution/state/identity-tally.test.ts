import { randomUUID } from "node:crypto"
import t from "tap"
import {
  enter,
  firstCreated,
  type Hold,
  type IdentityTally,
  leave,
  onlyProven,
  prove,
  readTally,
  writeTally,
} from "../../../../../signer/enclave/execution/state/identity-tally.ts"
import { NIL_UUID } from "../../../../../signer/core/uuid.ts"

const empty = readTally(undefined)
const created: Hold = { origin: "created", isProven: false }
const added: Hold = { origin: "added", isProven: false }
const [a, b, c] = ["a", "b", "c"].map((digit) => `0${digit}000000-0000-7000-8000-000000000000`) as [
  string,
  string,
  string,
]

function entrant(organizationId: string, others: { isMigrated?: boolean; expiresMs?: bigint } = {}) {
  return { organizationId, credentialId: organizationId, expiresMs: 0n, isMigrated: false, ...others }
}

function withFounded(...ids: string[]): IdentityTally {
  return ids.reduce((tally, id) => enter(tally, entrant(id), created), empty)
}

t.test("the first creation stays the first, and none takes its place before all have left", async (t) => {
  const both = withFounded(b, a)
  t.equal(firstCreated(both, 0), b, "in the order of entering")
  t.equal(firstCreated(leave(both, a, created), 0), b)
  const left = leave(both, b, created)
  t.equal(firstCreated(left, 0), undefined)
  t.equal(firstCreated(enter(left, entrant(c), created), 0), undefined)
  t.equal(firstCreated(enter(leave(left, a, created), entrant(c), created), 0), c)
})

t.test("a sub-organization that enters late is first only if it is older", async (t) => {
  const tally = withFounded(b)
  t.equal(firstCreated(enter(tally, entrant(a, { isMigrated: true }), created), 0), a)
  t.equal(firstCreated(enter(tally, entrant(c, { isMigrated: true }), created), 0), b)
  const vacant = leave(withFounded(b, c), b, created)
  t.equal(firstCreated(enter(vacant, entrant(a, { isMigrated: true }), created), 0), undefined)
})

t.test("an added identity is never the first", async (t) => {
  const tally = enter(empty, entrant(a), added)
  t.equal(firstCreated(tally, 0), undefined)
  t.equal(firstCreated(enter(tally, entrant(b), created), 0), b)
  t.equal(enter(tally, entrant(b), created).since, a, "the oldest hold is known")
})

t.test("the first is void from the millisecond in which its key expires", async (t) => {
  const tally = enter(empty, entrant(a, { expiresMs: 10n }), created)
  t.equal(firstCreated(tally, 9), a)
  t.equal(firstCreated(tally, 10), undefined)
  t.equal(firstCreated(readTally(writeTally(tally)), 10), undefined)
})

t.test("after any order of entering, proving and leaving, the tally agrees with a list", async (t) => {
  const ids = Array.from({ length: 5 }, () => randomUUID())
  const held = new Map<string, Hold>()
  let tally = empty
  let first: string | undefined
  let random = 1
  const next = (below: number) => (random = (random * 48271) % 2147483647) % below
  const countOf = (origin: Hold["origin"]) =>
    [...held.values()].filter((hold) => hold.origin === origin).length
  for (let step = 0; step < 2000; step++) {
    const id = ids[next(ids.length)]!
    const hold = held.get(id)
    if (hold === undefined) {
      const entered: Hold = { origin: next(2) === 0 ? "created" : "added", isProven: next(4) === 0 }
      if (entered.origin === "created" && countOf("created") === 0) first = id
      held.set(id, entered)
      tally = enter(tally, entrant(id), entered)
    } else if (!hold.isProven && next(2) === 0) {
      held.set(id, { ...hold, isProven: true })
      tally = prove(tally, id)
    } else {
      held.delete(id)
      if (first === id) first = undefined
      tally = leave(tally, id, hold)
    }
    tally = readTally(writeTally(tally))
    const proven = [...held].filter(([, { isProven }]) => isProven).map(([one]) => one)
    const expected = { first, proven: proven.length === 1 ? proven[0] : undefined }
    t.same({ first: firstCreated(tally, 0), proven: onlyProven(tally) }, expected, { diagnostic: false })
    const counts = { created: countOf("created"), added: countOf("added"), proven: proven.length }
    const found = { created: Number(tally.created), added: Number(tally.added), proven: Number(tally.proven) }
    t.same(found, counts, { diagnostic: false })
  }
})

t.test("an identity without holders leaves no row", async (t) => {
  const gone = leave(withFounded(a), a, created)
  t.equal(writeTally(gone), undefined)
  t.equal(writeTally(enter(gone, entrant(a), added))?.length, 80)
})

/** A tally of earlier versions. */
function legacy(unproven: readonly string[], proven: readonly string[]): Buffer {
  const group = (ids: readonly string[]) => {
    const bytes = Buffer.alloc(24)
    bytes.writeBigUInt64BE(BigInt(ids.length))
    for (const id of ids)
      Buffer.from(id.replaceAll("-", ""), "hex").forEach((byte, index) => (bytes[8 + index]! ^= byte))
    return bytes
  }
  return Buffer.concat([group(unproven), group(proven)])
}

t.test("a tally of 48 bytes is one of creations at an unknown time", async (t) => {
  const cases: [string, readonly string[], readonly string[], string | undefined][] = [
    ["the only one", [a], [], a],
    ["the only proven one", [a, c], [b], b],
    ["several", [a, b], [], undefined],
    ["several proven ones", [a], [b, c], undefined],
  ]
  for (const [what, unproven, proven, first] of cases) {
    const tally = readTally(legacy(unproven, proven))
    t.equal(firstCreated(tally, 0), first, what)
    t.match(tally, { created: BigInt(unproven.length + proven.length), proven: 0n, since: NIL_UUID }, what)
    const ids = [...unproven, ...proven]
    t.equal(writeTally(ids.reduce((rest, id) => leave(rest, id, created), tally)), undefined, "all can leave")
  }
})

t.test("impossible tallies are faults", async (t) => {
  t.throws(() => readTally(new Uint8Array(47)), /80 bytes, or 48/)
  t.throws(() => leave(empty, a, created), /leaves a tally only after it entered/)
  t.throws(() => leave(withFounded(a), a, { ...created, isProven: true }), /only after it entered/)
  t.throws(() => writeTally(enter(empty, entrant("acme"), created)), /UUID/)
})
