// The operator's limit on how long activities wait for votes: nothing that expired runs, for any sender and request.
import t, { type Test } from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { signParams } from "../harness/api-client.ts"
import { fingerprintOf, newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { patiently } from "./patience.ts"
import { type Quorum, quorumOfThree } from "./quorum.ts"
import { refused } from "./setup.ts"

const HOUR_MS = 60 * 60 * 1000
const { CONSENSUS_NEEDED, COMPLETED, FAILED, UNSPECIFIED } = ActivityStatus
const SETTING = "COUNTERSIGN_SIGNER_MAX_PENDING_HOURS"

/** A quorum of three whose signer ends activities after two days. */
async function expiring(t: Test, hours = 48): Promise<Quorum> {
  const fixture = await quorumOfThree(t)
  fixture.boundary.settings[SETTING] = String(hours)
  await fixture.boundary.restart()
  return fixture
}

function rowsOf({ boundary, acme }: Quorum, kind: "pending" | "fingerprint"): string[] {
  const rows = boundary.signer.state().ledger.rows(acme.organizationId, kind)
  return rows.map(({ key }) => key)
}

async function expire(
  { boundary, acme }: Quorum,
  fingerprints: string[],
  organizationId = acme.organizationId,
) {
  const activityFingerprints = fingerprints.map((hex) => Buffer.from(hex, "hex"))
  const request = { organizationId, activityFingerprints } as never
  return signerHandlers.expireActivities(request, boundary.signer)
}

const offered =
  ({ client }: Quorum, body: string, key: TestKey) =>
  () =>
    client.offer(body, stampWith(key, body))

t.test(
  "A5: votes count until the limit, and from then on they are refused and the activity has failed",
  async (t) => {
    const fixture = await expiring(t)
    const { boundary, client, acme, alice, bob, eve, propose, approve, approval, rejection } = fixture
    const [first, second] = [await propose(), await propose()]
    boundary.clock.pass(47 * HOUR_MS)
    t.equal((await approve(alice, first.fingerprint)).status, CONSENSUS_NEEDED)
    boundary.clock.pass(HOUR_MS / 2)
    const held = approval(second.fingerprint)
    const early = rejection(second.fingerprint)
    boundary.clock.pass(HOUR_MS / 2)
    const vote = approval(first.fingerprint)
    t.match(await client.offer(vote, stampWith(bob.key, vote)), { is: "refused", code: "ACTIVITY_EXPIRED" })
    t.same(rowsOf(fixture, "pending"), [], "one contact ends all that have expired")
    const votes: [string, TestKey][] = [
      [held, alice.key],
      [early, bob.key],
      [approval(first.fingerprint), bob.key],
      [rejection(second.fingerprint), alice.key],
      [approval(second.fingerprint), eve.key],
    ]
    for (const restart of [false, true]) {
      if (restart) await boundary.restart()
      for (const [body, key] of votes)
        await refused(t, fixture, "ACTIVITY_EXPIRED", offered(fixture, body, key))
    }
    await refused(t, fixture, "REQUEST_STALE", offered(fixture, first.body, acme.root), "its own body")
    boundary.clock.pass(HOUR_MS)
    await boundary.signer.purge()
    const known = rowsOf(fixture, "fingerprint")
    for (const { fingerprint } of [first, second])
      t.notOk(known.includes(fingerprint), "forgotten after an hour")
    const late = approval(first.fingerprint)
    await refused(t, fixture, "ACTIVITY_UNKNOWN", offered(fixture, late, bob.key))
  },
)

t.test("A5: without the setting an activity waits for as long as its voters take", async (t) => {
  const { boundary, acme, alice, bob, propose, approve } = await quorumOfThree(t)
  const { fingerprint } = await propose()
  boundary.clock.pass(1000 * 24 * HOUR_MS)
  t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED)
  // The submission's own vote has lapsed.
  t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED)
  t.equal((await approve({ key: acme.root }, fingerprint)).status, COMPLETED)
})

t.test(
  "A5: activities that waited before the setting, or under another one, expire by the present one",
  async (t) => {
    const fixture = await quorumOfThree(t)
    const { boundary, alice, propose, approve, approval } = fixture
    const { fingerprint } = await propose()
    boundary.clock.pass(72 * HOUR_MS)
    for (const [hours, isExpired] of [
      ["100", false],
      ["0", false],
      ["48", true],
      ["0", true],
    ] as const) {
      boundary.settings[SETTING] = hours
      await boundary.restart()
      if (!isExpired) {
        t.equal((await expire(fixture, [fingerprint])).activities[0]?.status, CONSENSUS_NEEDED, hours)
        continue
      }
      const vote = approval(fingerprint)
      const answer = await fixture.client.offer(vote, stampWith(alice.key, vote))
      t.match(answer, { is: "refused", code: "ACTIVITY_EXPIRED" }, `${hours}: what ended has ended`)
    }
    const next = await propose()
    t.equal((await approve(alice, next.fingerprint)).status, CONSENSUS_NEEDED)
  },
)

t.test("A4: an expired signature is not made, though one vote would be enough by now", async (t) => {
  const fixture = await expiring(t, 1)
  const { boundary, client, acme, address, alice, bob, propose, approve } = fixture
  const { organizationId, root, rootUserId } = acme
  // Stamped five minutes ahead: its own age does not refuse it yet.
  const proposed = JSON.parse(
    client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address)),
  )
  proposed.timestampMs = String(Number(proposed.timestampMs) + 5 * 60_000 - 1000)
  const body = JSON.stringify(proposed)
  t.match(await client.send(body, root), { outcome: { status: CONSENSUS_NEEDED } })
  await client.acknowledge(organizationId, fingerprintOf(body), root.publicKeyHex)
  const quorum = await propose("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [rootUserId] })
  for (const member of [alice, bob]) await approve(member, quorum.fingerprint)
  boundary.clock.pass(HOUR_MS)
  t.match(await offered(fixture, body, root)(), { is: "refused", code: "ACTIVITY_REPLAYED" })
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    await refused(t, fixture, "ACTIVITY_REPLAYED", offered(fixture, body, root))
  }
  t.notOk(rowsOf(fixture, "pending").includes(fingerprintOf(body)))
})

t.test("B3: an expired activity frees its bytes and its place for new ones", async (t) => {
  const fixture = await expiring(t)
  const { boundary, client, acme } = fixture
  const { organizationId, root } = acme
  // Unknown members are ignored, and stored with the rest of the body.
  const large = (walletName: string) =>
    client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
      walletName,
      accounts: [],
      x: "x".repeat(2_000_000),
    })
  const ask = (name: string) => patiently(offered(fixture, large(name), root))
  for (let taken = 0; taken < 16; taken++) t.match(await ask(`Wish ${taken}`), { is: "outcome" })
  boundary.clock.pass(47 * HOUR_MS)
  t.match(await ask("Seventeenth"), { is: "refused", code: "LIMIT_EXCEEDED" })
  boundary.clock.pass(HOUR_MS)
  const body = large("Seventeenth")
  t.match(await patiently(offered(fixture, body, root)), { is: "outcome" })
  t.same(rowsOf(fixture, "pending"), [fingerprintOf(body)])
})

t.test("A5: sub-organizations created side by side end an expired activity once", async (t) => {
  const fixture = await expiring(t)
  const { boundary, client, acme, propose } = fixture
  const { fingerprint } = await propose()
  boundary.clock.pass(48 * HOUR_MS)
  const bodies = ["One", "Two", "Three"].map((subOrganizationName) =>
    client.body("ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7", acme.organizationId, {
      subOrganizationName,
      rootQuorumThreshold: 1,
      rootUsers: [{ userName: "u", apiKeys: [keyOf()], authenticators: [], oauthProviders: [] }],
    }),
  )
  const answers = await Promise.all(bodies.map((body) => patiently(offered(fixture, body, acme.root))))
  for (const answer of answers) t.match(answer, { outcome: { status: CONSENSUS_NEEDED } })
  t.same(rowsOf(fixture, "pending").toSorted(), bodies.map(fingerprintOf).toSorted())
  t.match((await expire(fixture, [fingerprint])).activities, [{ status: FAILED }])
})

t.test(
  "A5: an API tier ends nothing early, whatever it names, and nothing later than the signer does",
  async (t) => {
    const fixture = await expiring(t)
    const { boundary, alice, bob, propose, approve } = fixture
    const [old, young] = [await propose(), undefined]
    t.equal(young, undefined)
    boundary.clock.pass(24 * HOUR_MS)
    const { fingerprint } = await propose()
    const asked = [old.fingerprint, fingerprint, "00".repeat(32)]
    const statuses = async () => (await expire(fixture, asked)).activities.map(({ status }) => status)
    t.same(await statuses(), [CONSENSUS_NEEDED, CONSENSUS_NEEDED, UNSPECIFIED])
    // A host's clock that is wrong while the signer runs is not believed.
    boundary.clock.setWall(boundary.clock.wallMs() + 500 * HOUR_MS)
    t.same(await statuses(), [CONSENSUS_NEEDED, CONSENSUS_NEEDED, UNSPECIFIED])
    boundary.clock.setWall(boundary.clock.wallMs() - 500 * HOUR_MS)
    boundary.clock.pass(24 * HOUR_MS - 1000)
    t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED)
    boundary.clock.pass(1000)
    const { pendingLifetimeMs, activities } = await expire(fixture, asked)
    t.equal(pendingLifetimeMs, BigInt(48 * HOUR_MS))
    t.match(activities, [
      { status: FAILED, failure: { sentence: /has expired/ } },
      { status: CONSENSUS_NEEDED },
      {},
    ])
    t.same(rowsOf(fixture, "pending"), [fingerprint])
    t.match(await expire(fixture, [], ""), { pendingLifetimeMs: BigInt(48 * HOUR_MS), activities: [] })
    for (const wrong of ["00000000-0000-4000-8000-000000000000", "nowhere"])
      await t.rejects(expire(fixture, [], wrong), {
        code: wrong === "nowhere" ? "REQUEST_INVALID" : "ORGANIZATION_UNKNOWN",
      })
    // The votes of the first day have lapsed together.
    for (const voter of [alice, bob]) t.equal((await approve(voter, fingerprint)).status, CONSENSUS_NEEDED)
    const own = fixture.approval(fingerprint)
    t.match(await offered(fixture, own, fixture.acme.root)(), { outcome: { status: COMPLETED } })
  },
)

function keyOf() {
  return { apiKeyName: "k", publicKey: newKey().publicKeyHex, curveType: "API_KEY_CURVE_P256" }
}
