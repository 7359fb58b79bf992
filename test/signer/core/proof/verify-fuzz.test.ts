// The verifier answers for any input, and never verifies a proof whose pinned parts were altered.
import t from "tap"
import type { Evidence } from "../../../../signer/core/proof/verify/index.ts"
import { ApiClient, ethereumAccount } from "../../../harness/api-client.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { alteredText, chance } from "../../../harness/chance.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { SecondVerifier } from "../../../harness/second-verifier.ts"
import { asking, bootProofOf, pinsOf, sent, shownActivity } from "../../../harness/proofs.ts"
import { isLong } from "../../../harness/long.ts"

const ROUNDS = isLong ? 3000 : 600
const verifiers = new SecondVerifier()

/** A member somewhere in what is shown. `path` leads to its holder. */
type Place = { holder: { [name: string]: unknown }; name: string; path: string }

function placesIn(value: unknown, path = ""): Place[] {
  if (typeof value !== "object" || value === null) return []
  const holder = value as { [name: string]: unknown }
  return Object.keys(holder).flatMap((name) => [
    { holder, name, path },
    ...placesIn(holder[name], `${path}/${name}`),
  ])
}

/** True if a proof pins this member of the activity: all but the ids of votes, and the proofs, which are separate. */
function isPinned({ path, name }: Place): boolean {
  const isVoteId = path.startsWith("/activity/votes") && name === "id"
  return path.startsWith("/activity") && !isVoteId && name !== "appProofs"
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

/** Alters a member. Returns whether it says something else now: a reader may forgive another spelling. */
function alter({ holder, name }: Place, pick: (below: number) => number): boolean {
  const value = holder[name]
  if (typeof value === "string" && value.length > 0 && pick(2) === 0) {
    const at = pick(value.length)
    const isSpelling = pick(2) === 0
    const other = value[at] === "0" ? "1" : "0"
    holder[name] = isSpelling ? alteredText(value, pick) : value.slice(0, at) + other + value.slice(at + 1)
    return !isSpelling
  }
  if (pick(5) === 0) delete holder[name]
  else holder[name] = structuredClone(JUNK[pick(JUNK.length)])
  return true
}

t.test("the verifier never fails, whatever it is shown", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const { organizationId, root, rootUserId: userId } = await client.createOrganization()
  const passkey = new Passkey()
  const parameters = { userId, authenticators: [passkey.create()] }
  await client.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, parameters)
  const wallet = { walletName: "First", accounts: [ethereumAccount(0)] }
  const body = asking(client, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, wallet)
  const activity = shownActivity(await sent(client, body, passkey))
  const pins = pinsOf(boundary.signer)
  const proofs = activity["appProofs"] as Evidence["proofs"]
  const honest = { proofs, bootProofs: [await bootProofOf(boundary.signer)], activity }
  t.equal(verifiers.verify({ ...honest, pins }).verified, true)
  const pick = chance(4)
  let verified = 0
  for (let round = 0; round < ROUNDS; round++) {
    const shown = structuredClone(honest)
    const places = placesIn(shown).filter(({ holder }) => holder !== shown && !Array.isArray(holder))
    const place = places[pick(places.length)]!
    const isProof = shown.proofs.includes(place.holder as never)
    const isNeeded = isProof ? typeof place.holder[place.name] === "string" : isPinned(place)
    const isOther = alter(place, pick)
    // The command line takes no proof whose members are not texts.
    if (isProof && typeof place.holder[place.name] !== "string") continue
    const report = verifiers.verify({ ...shown, pins })
    if (report.verified) verified += 1
    if (isNeeded && isOther) t.equal(report.verified, false, `round ${round}: ${place.path}/${place.name}`)
  }
  t.ok(verified > 0, "some members are of no account")
  t.ok(verified < ROUNDS / 2)
})

verifiers.compare(t)
