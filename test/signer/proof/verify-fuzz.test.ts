// Whatever somebody shows, the verifier answers; and what was altered where it matters is never verified.
import t from "tap"
import { type Evidence, verifyProofs } from "../../../signer/proof/verify/index.ts"
import { ApiSeat, ethereumAccount } from "../../harness/api-seat.ts"
import { Passkey } from "../../harness/authenticator.ts"
import { InProcessBoundary } from "../../harness/boundary.ts"
import { asking, bootProofOf, pinsOf, shownActivity } from "../../harness/proofs.ts"

const ROUNDS = 3000

type Place = { holder: { [name: string]: unknown }; name: string }

/** A small generator, so that a failure comes again (Numerical Recipes, 32 bits). */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return []
  const holder = value as { [name: string]: unknown }
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...placesIn(holder[name])])
}

const JUNK: readonly unknown[] = [
  null,
  "",
  "x",
  0,
  -1,
  true,
  [],
  {},
  [null],
  [{}],
  "{}",
  "\ud800",
  "0".repeat(5000),
]

function alter({ holder, name }: Place, pick: (below: number) => number): void {
  const value = holder[name]
  if (typeof value === "string" && value.length > 0 && pick(2) === 0) {
    const at = pick(value.length)
    const other = value[at] === "0" ? "1" : "0"
    holder[name] = value.slice(0, at) + other + value.slice(at + 1)
  } else if (pick(5) === 0) delete holder[name]
  else holder[name] = structuredClone(JUNK[pick(JUNK.length)])
}

t.test("the verifier never fails, whatever it is shown", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const seat = new ApiSeat(boundary)
  const { organizationId, root, rootUserId: userId } = await seat.tenant()
  const passkey = new Passkey()
  const parameters = { userId, authenticators: [passkey.create()] }
  await seat.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, parameters)
  const wallet = { walletName: "First", accounts: [ethereumAccount(0)] }
  const body = asking(seat, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, wallet)
  const activity = shownActivity(body, await seat.send(body, passkey))
  const pins = pinsOf(boundary.signer)
  const proofs = activity["appProofs"] as Evidence["proofs"]
  const honest = { proofs, bootProofs: [await bootProofOf(boundary.signer)], activity }
  t.equal(verifyProofs({ ...honest, pins }).verified, true)
  const pick = chance(4)
  let verified = 0
  for (let round = 0; round < ROUNDS; round++) {
    const shown = structuredClone(honest)
    const places = placesIn(shown).filter(({ holder }) => holder !== shown && !Array.isArray(holder))
    const place = places[pick(places.length)]!
    const isProof = shown.proofs.includes(place.holder as never)
    const isTextOfProof = isProof && typeof place.holder[place.name] === "string"
    alter(place, pick)
    // The command line takes no proof whose members are not texts.
    if (isProof && typeof place.holder[place.name] !== "string") continue
    const report = verifyProofs({ ...shown, pins })
    if (report.verified) verified += 1
    if (isTextOfProof) t.equal(report.verified, false, `round ${round}: ${place.name}`)
  }
  t.ok(verified > 0, "some members are of no account")
  t.ok(verified < ROUNDS / 2)
})
