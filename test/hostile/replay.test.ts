import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { Authority, Consequence } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import type { OrderAnswer } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { activities } from "../../signer/enclave/modules/index.ts"
import { keptOutcome, outcomeOf, signParams } from "../harness/api-client.ts"
import { isLong } from "../harness/long.ts"
import { fingerprintOf, stampWith } from "../harness/stamper.ts"
import { replayCases } from "./replay-cases.ts"
import { ledgerDigest, refused, setup } from "./setup.ts"

/** After these nothing of the organization runs at all: test/hostile/deleted-organizations.test.ts. */
const ENDINGS: ReadonlySet<string> = new Set(["DELETE_SUB_ORGANIZATION"])

/** Its key ends with it: test/hostile/mailed-keys.test.ts. */
const OF_ONE_KEY: ReadonlySet<string> = new Set(["RECOVER_USER"])

const HOUR_MS = 60 * 60 * 1000

t.test("the replay cases cover every activity that changes state", async (t) => {
  const changing = [...activities.keys()]
    .map((type) => activityTypes.get(type)!)
    .filter(({ consequence }) => consequence !== Consequence.SIGNS)
    .filter(({ authority }) => authority !== Authority.SETUP_CODE)
    .map(({ type }) => type.replace("ACTIVITY_TYPE_", ""))
    .filter((type) => !ENDINGS.has(type) && !OF_ONE_KEY.has(type))
  t.same(Object.keys(replayCases).toSorted(), changing.toSorted())
})

/** The short form replays one activity of so many: the signer's code for it is the same for all. */
const STRIDE = isLong ? 1 : 6

for (const [index, [name, make]] of Object.entries(replayCases).entries()) {
  if (index % STRIDE !== 0) continue
  t.test(`A4: ${name}: B1, B2, then B1 again changes nothing`, async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme } = fixture
    const { organizationId, root } = acme
    const alice = await client.user(acme, "alice")
    const actors = await make({ fixture, acme, alice })
    const type = `ACTIVITY_TYPE_${name}`
    const sentMs = boundary.nowMs()
    const body = client.body(type, organizationId, actors.first, sentMs)
    const xStamp = stampWith(root, body)
    const again = () => client.offer(body, xStamp)
    const execute = boundary.execute.bind(boundary)
    let last: OrderAnswer["answer"] | undefined
    boundary.execute = async (order) => {
      const answered = await execute(order)
      last = answered.answer
      return answered
    }
    const finished = () => (last?.case === "refused" ? last.value.replayed : undefined)
    const recovered = async (stamp = xStamp) => outcomeOf(await client.offer(body, stamp))
    const asAlice = () => client.offer(body, stampWith(alice.key, body))

    const first = await client.send(body, root)
    const kept = keptOutcome(outcomeOf(first))
    const after = ledgerDigest(fixture)
    t.same(await recovered(), kept, "before it is acknowledged the same outcome comes back")
    t.same(await recovered(stampWith(root, body)), kept, "also under a new stamp of the same key")
    t.equal(ledgerDigest(fixture), after, "and nothing runs")
    await refused(t, fixture, "ACTIVITY_REPLAYED", asAlice, "another user's stamp on the same body")

    const second = typeof actors.second === "function" ? await actors.second() : actors.second
    await client.submit(root, type, organizationId, second)
    const later = ledgerDigest(fixture)
    t.same(await recovered(), kept, "the old outcome once more")
    t.equal(ledgerDigest(fixture), later, actors.harm)

    await client.acknowledge(organizationId, fingerprintOf(body), root.publicKeyHex)
    await refused(t, fixture, "ACTIVITY_REPLAYED", again, "once acknowledged")
    const { activityId, voteId, userId } = kept.decision!
    const known = finished()
    t.match(known, {
      decision: { activityId, voteId, userId },
      status: kept.status,
      organizationId: kept.organizationId,
    })
    t.same(known?.result, kept.result, "its submitter gets ids and result")
    t.same([known?.document.length, known?.records.length, known?.unacknowledged], [0, 0, false])
    await refused(t, fixture, "ACTIVITY_REPLAYED", asAlice, "another user's stamp, once acknowledged")
    t.equal(finished(), undefined, "and no other user")
    await boundary.restart()
    await refused(t, fixture, "ACTIVITY_REPLAYED", again, "after a restart")
    t.same(finished(), known)

    boundary.clock.pass(sentMs + HOUR_MS - 1 - boundary.clock.wallMs())
    await boundary.signer.purge()
    await refused(t, fixture, "ACTIVITY_REPLAYED", again, "in the window's last millisecond")
    boundary.clock.pass(1)
    await refused(t, fixture, "REQUEST_STALE", again, "when the window has passed")
    await boundary.signer.purge()
    await refused(t, fixture, "REQUEST_STALE", again, "when its fingerprint was forgotten")
  })
}

t.test("A4: a clock set back does not open the window again", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, {
    walletName: "One",
    accounts: [],
  })
  t.match(await client.send(body, acme.root), { is: "outcome" })
  await client.acknowledge(acme.organizationId, fingerprintOf(body), acme.root.publicKeyHex)
  boundary.clock.pass(HOUR_MS)
  await boundary.signer.purge()
  const again = () => client.offer(body, stampWith(acme.root, body))
  boundary.clock.setWall(boundary.clock.wallMs() - 4 * 60_000)
  await refused(t, fixture, "REQUEST_STALE", again, "while it runs")
  await boundary.restart()
  await refused(t, fixture, "REQUEST_STALE", again, "started with a clock four minutes behind")
  boundary.clock.setWall(boundary.clock.wallMs() - HOUR_MS)
  await boundary.restart()
  t.match(await again(), { is: "refused", code: "CLOCK_UNTRUSTED" }, "with a clock an hour behind")
  await boundary.signer.acceptClock()
  t.match(
    await again(),
    { is: "refused", code: "CLOCK_UNTRUSTED" },
    "an operator who accepts it opens nothing",
  )
  boundary.clock.pass(65 * 60_000)
  await refused(t, fixture, "REQUEST_STALE", again, "one window later")
})

t.test(
  "A4: a body forgotten under a clock far ahead does not run again when the clock is set back",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme } = fixture
    boundary.clock.pass(10 * HOUR_MS)
    const sentMs = boundary.nowMs()
    const wallet = { walletName: "One", accounts: [] }
    const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, wallet, sentMs)
    t.match(await client.send(body, acme.root), { is: "outcome" }, "its caller's clock was ahead as well")
    await client.acknowledge(acme.organizationId, fingerprintOf(body), acme.root.publicKeyHex)
    boundary.clock.pass(2 * HOUR_MS)
    await boundary.signer.purge()
    const forgottenMs = boundary.clock.wallMs()
    boundary.clock.setWall(sentMs - 3 * HOUR_MS)
    await boundary.restart()
    await boundary.signer.acceptClock()

    const after = ledgerDigest(fixture)
    const again = () => client.offer(body, stampWith(acme.root, body))
    for (const atMs of [sentMs - 3 * HOUR_MS, sentMs - 1, sentMs, sentMs + HOUR_MS - 1, forgottenMs - 1]) {
      boundary.clock.pass(atMs - boundary.clock.wallMs())
      t.match(await again(), { is: "refused", code: "CLOCK_UNTRUSTED" }, `${atMs - sentMs} ms from its time`)
    }
    boundary.clock.pass(1)
    await refused(t, fixture, "REQUEST_STALE", again, "when that time has come again")
    t.equal(ledgerDigest(fixture), after, "nothing was written")
  },
)

t.test(
  "A4: a clock far ahead that is set back within a day opens no window, and stops decisions for 65 minutes",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme } = fixture
    const make = (walletName: string) =>
      client.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, { walletName, accounts: [] })
    const trueMs = boundary.nowMs()
    const before = make("Before")
    t.match(await client.send(before, acme.root), { is: "outcome" })
    await client.acknowledge(acme.organizationId, fingerprintOf(before), acme.root.publicKeyHex)
    await boundary.signer.purge()

    boundary.clock.setWall(trueMs + 27 * 24 * HOUR_MS)
    await boundary.restart()
    const ahead = make("Ahead")
    t.match(await client.send(ahead, acme.root), { is: "outcome" }, "believed without an operator")
    await client.acknowledge(acme.organizationId, fingerprintOf(ahead), acme.root.publicKeyHex)
    boundary.clock.pass(2 * HOUR_MS)
    await boundary.signer.purge()

    boundary.clock.setWall(trueMs + 60_000)
    await boundary.restart()
    const again = (body: string) => client.offer(body, stampWith(acme.root, body))
    t.match(await again(before), { is: "refused", code: "CLOCK_UNTRUSTED" })
    await boundary.signer.acceptClock()
    boundary.clock.pass(65 * 60_000 - 1)
    t.match(await again(before), { is: "refused", code: "CLOCK_UNTRUSTED" })
    boundary.clock.pass(1)
    await refused(t, fixture, "REQUEST_STALE", () => again(before), "what ran before the jump")
    await refused(t, fixture, "REQUEST_FROM_FUTURE", () => again(ahead), "what ran in it")
    t.match(await client.send(make("After"), acme.root), { is: "outcome" }, "and the signer decides again")
    await boundary.signer.purge()
    boundary.clock.pass(trueMs + 27 * 24 * HOUR_MS - boundary.clock.wallMs())
    await boundary.signer.purge()
    await refused(t, fixture, "ACTIVITY_REPLAYED", () => again(ahead), "when its time comes")
  },
)

t.test("A4: the same signature for the same body, however often it comes", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme, address } = fixture
  const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  const before = ledgerDigest(fixture)
  const signatures = new Set<string>()
  for (let time = 0; time < 5; time++) {
    const answer = await client.offer(body, stampWith(acme.root, body))
    const result = answer.is === "outcome" ? answer.outcome.result?.result.value : answer
    signatures.add(JSON.stringify(result))
    if (time === 2) await boundary.restart()
  }
  t.equal(signatures.size, 1)
  t.equal(ledgerDigest(fixture), before, "nothing is written")
})
