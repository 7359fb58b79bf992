import { randomUUID } from "node:crypto"
import t from "tap"
import {
  enter,
  leave,
  readTally,
  type Standing,
  whoseIs,
  writeTally,
} from "../../../../../signer/enclave/execution/state/identity-tally.ts"

const [a, b] = [randomUUID(), randomUUID()]
const nobody = readTally(undefined)

t.test("the only claimant is found, the one who has proven it before all claimants", async (t) => {
  t.equal(whoseIs(nobody), "nobody")
  const one = enter(nobody, a, "unproven")
  t.same(whoseIs(one), { organizationId: a, standing: "unproven" })
  const two = enter(one, b, "unproven")
  t.equal(whoseIs(two), "several")
  const proven = enter(leave(two, b, "unproven"), b, "proven")
  t.same(whoseIs(proven), { organizationId: b, standing: "proven" })
  const twice = enter(leave(proven, a, "unproven"), a, "proven")
  t.equal(whoseIs(twice), "several", "two have proven it")
  t.same(whoseIs(leave(twice, b, "proven")), { organizationId: a, standing: "proven" })
})

t.test("whatever enters and leaves, in any order, the tally says what a list would say", async (t) => {
  const ids = Array.from({ length: 5 }, () => randomUUID())
  const held = new Map<string, Standing>()
  let tally = nobody
  let random = 1
  const next = (below: number) => (random = (random * 48271) % 2147483647) % below
  for (let step = 0; step < 2000; step++) {
    const id = ids[next(ids.length)]!
    const standing = held.get(id)
    if (standing === undefined) {
      const entered = next(2) === 0 ? "proven" : "unproven"
      held.set(id, entered)
      tally = enter(tally, id, entered)
    } else {
      held.delete(id)
      tally = leave(tally, id, standing)
    }
    tally = readTally(writeTally(tally))
    t.same(whoseIs(tally), expected(held), { diagnostic: false })
  }
})

function expected(held: ReadonlyMap<string, Standing>) {
  const of = (wanted: Standing) => [...held].filter(([, standing]) => standing === wanted).map(([id]) => id)
  const [proven, unproven] = [of("proven"), of("unproven")]
  if (proven.length === 1) return { organizationId: proven[0], standing: "proven" }
  if (proven.length > 1 || unproven.length > 1) return "several"
  return unproven.length === 0 ? "nobody" : { organizationId: unproven[0], standing: "unproven" }
}

t.test("nothing is kept of an identity that nobody holds", async (t) => {
  const gone = leave(enter(nobody, a, "unproven"), a, "unproven")
  t.equal(writeTally(gone), undefined)
  t.equal(writeTally(enter(gone, a, "proven"))?.length, 48)
})

t.test("a tally that cannot be is a fault", async (t) => {
  t.throws(() => readTally(new Uint8Array(47)), /48 bytes/)
  t.throws(() => leave(nobody, a, "unproven"), /did not enter/)
  t.throws(() => enter(nobody, "acme", "unproven"), /UUID/)
})
