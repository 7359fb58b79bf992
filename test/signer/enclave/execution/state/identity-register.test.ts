import { randomUUID } from "node:crypto"
import t from "tap"
import {
  enter,
  leave,
  readTally,
  type ProofState,
  uniqueOwner,
  writeTally,
} from "../../../../../signer/enclave/execution/state/identity-register.ts"

const [a, b] = [randomUUID(), randomUUID()]
const empty = readTally(undefined)

t.test("the only holder is found; a holder that has proven the identity comes first", async (t) => {
  t.equal(uniqueOwner(empty), "none")
  const one = enter(empty, a, "unproven")
  t.same(uniqueOwner(one), { organizationId: a, proofState: "unproven" })
  const two = enter(one, b, "unproven")
  t.equal(uniqueOwner(two), "several")
  const proven = enter(leave(two, b, "unproven"), b, "proven")
  t.same(uniqueOwner(proven), { organizationId: b, proofState: "proven" })
  const twice = enter(leave(proven, a, "unproven"), a, "proven")
  t.equal(uniqueOwner(twice), "several", "two have proven it")
  t.same(uniqueOwner(leave(twice, b, "proven")), { organizationId: a, proofState: "proven" })
})

t.test("after any order of entering and leaving, the tally agrees with a list", async (t) => {
  const ids = Array.from({ length: 5 }, () => randomUUID())
  const held = new Map<string, ProofState>()
  let tally = empty
  let random = 1
  const next = (below: number) => (random = (random * 48271) % 2147483647) % below
  for (let step = 0; step < 2000; step++) {
    const id = ids[next(ids.length)]!
    const proofState = held.get(id)
    if (proofState === undefined) {
      const entered = next(2) === 0 ? "proven" : "unproven"
      held.set(id, entered)
      tally = enter(tally, id, entered)
    } else {
      held.delete(id)
      tally = leave(tally, id, proofState)
    }
    tally = readTally(writeTally(tally))
    t.same(uniqueOwner(tally), expected(held), { diagnostic: false })
  }
})

function expected(held: ReadonlyMap<string, ProofState>) {
  const of = (wanted: ProofState) =>
    [...held].filter(([, proofState]) => proofState === wanted).map(([id]) => id)
  const [proven, unproven] = [of("proven"), of("unproven")]
  if (proven.length === 1) return { organizationId: proven[0], proofState: "proven" }
  if (proven.length > 1 || unproven.length > 1) return "several"
  return unproven.length === 0 ? "none" : { organizationId: unproven[0], proofState: "unproven" }
}

t.test("an identity without holders leaves no row", async (t) => {
  const gone = leave(enter(empty, a, "unproven"), a, "unproven")
  t.equal(writeTally(gone), undefined)
  t.equal(writeTally(enter(gone, a, "proven"))?.length, 48)
})

t.test("impossible tallies are faults", async (t) => {
  t.throws(() => readTally(new Uint8Array(47)), /48 bytes/)
  t.throws(() => leave(empty, a, "unproven"), /leaves a tally only after it entered/)
  t.throws(() => enter(empty, "acme", "unproven"), /UUID/)
})
