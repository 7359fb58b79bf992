import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { signParams } from "../harness/api-client.ts"
import { fingerprintOf, stampWith } from "../harness/stamper.ts"
import { type Quorum, quorumOfThree } from "./quorum.ts"
import { refused } from "./setup.ts"

const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS
const { CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus

const rowsOf = ({ boundary, acme }: Quorum) =>
  boundary.signer.state().ledger.rows(acme.organizationId, "fingerprint")

t.test("B3: an activity's votes leave no row an hour after it ended", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, alice, bob, propose, approve, rejection } = fixture
  const [rejected, done, waiting] = [await propose(), await propose(), await propose()]
  boundary.clock.pass(30 * MINUTE_MS)
  t.match(await client.send(rejection(rejected.fingerprint), alice.key), { outcome: { status: REJECTED } })
  await approve(alice, done.fingerprint)
  t.equal((await approve(bob, done.fingerprint)).status, COMPLETED)
  boundary.clock.pass(59 * MINUTE_MS)
  await boundary.signer.purge()
  const kept = rowsOf(fixture).map(({ key }) => key)
  for (const { fingerprint } of [rejected, done, waiting]) t.ok(kept.includes(fingerprint), "within the hour")
  boundary.clock.pass(2 * MINUTE_MS)
  await boundary.signer.purge()
  t.same(
    rowsOf(fixture).map(({ key }) => key),
    [waiting.fingerprint],
    "after it",
  )
  boundary.clock.pass(400 * 24 * HOUR_MS)
  await boundary.signer.purge()
  t.equal(rowsOf(fixture).length, 1, "what waits is known for as long as it waits")
  t.equal((await approve(alice, waiting.fingerprint)).status, CONSENSUS_NEEDED)
})

t.test("A4: an ended activity never runs again, before its fingerprint expires and after", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, address, alice, bob, propose, approve, approval } = fixture
  const { organizationId, root, rootUserId } = acme
  // Stamped five minutes ahead and ended at once: only its fingerprint keeps this body out for so long.
  const ahead = (type: string, parameters: object) => {
    const body = JSON.parse(client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters))
    return JSON.stringify({ ...body, timestampMs: String(Number(body.timestampMs) + 5 * MINUTE_MS - 1000) })
  }
  const bodies = [
    ahead("CREATE_WALLET", { walletName: "Late", accounts: [] }),
    ahead("SIGN_RAW_PAYLOAD_V2", signParams(address)),
  ]
  for (const body of bodies) {
    t.match(await client.send(body, root), { outcome: { status: CONSENSUS_NEEDED } })
    const veto = fixture.rejection(fingerprintOf(body))
    t.match(await client.send(veto, alice.key), { outcome: { status: REJECTED } })
    await client.acknowledge(organizationId, fingerprintOf(body), root.publicKeyHex)
  }
  const quorum = await propose("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [rootUserId] })
  for (const member of [alice, bob]) await approve(member, quorum.fingerprint)
  const again = (body: string) => () => client.offer(body, stampWith(root, body))
  const late = (body: string) => {
    const vote = approval(fingerprintOf(body))
    return () => client.offer(vote, stampWith(root, vote))
  }
  const tryAll = async (code: "ACTIVITY_REPLAYED" | "REQUEST_STALE", when: string) => {
    for (const body of bodies) await refused(t, fixture, code, again(body), when)
  }
  await tryAll("ACTIVITY_REPLAYED", "one vote would be enough now")
  for (const minutes of [30, 29, 4]) {
    boundary.clock.pass(minutes * MINUTE_MS)
    await boundary.signer.purge()
    await boundary.restart()
    await tryAll("ACTIVITY_REPLAYED", "as long as the body is live")
  }
  boundary.clock.pass(2 * MINUTE_MS)
  await tryAll("REQUEST_STALE", "not purged yet")
  await boundary.signer.purge()
  t.notOk(rowsOf(fixture).some(({ key }) => bodies.map(fingerprintOf).includes(key)))
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    await tryAll("REQUEST_STALE", "forgotten")
    for (const body of bodies) await refused(t, fixture, "ACTIVITY_UNKNOWN", late(body), "a vote on it")
  }
})

t.test("A5: votes stamped before an activity ended are refused, whenever they arrive", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, alice, bob, propose, approval, rejection } = fixture
  const { fingerprint } = await propose()
  boundary.clock.pass(48 * HOUR_MS)
  const [held, veto] = [approval(fingerprint), rejection(fingerprint)]
  t.match(await client.send(veto, alice.key), { outcome: { status: REJECTED } })
  boundary.clock.pass(59 * MINUTE_MS)
  await boundary.signer.purge()
  await refused(t, fixture, "ACTIVITY_FINAL", () => client.offer(held, stampWith(bob.key, held)))
  boundary.clock.pass(2 * MINUTE_MS)
  await boundary.signer.purge()
  await refused(t, fixture, "REQUEST_STALE", () => client.offer(held, stampWith(bob.key, held)))
  const fresh = approval(fingerprint)
  await refused(t, fixture, "ACTIVITY_UNKNOWN", () => client.offer(fresh, stampWith(bob.key, fresh)))
})

t.test("A4: a signature rejected by vote is not made after a restart", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, address, alice, bob, propose, approve, rejection } = fixture
  const { organizationId, root, rootUserId } = acme
  const { body, fingerprint } = await propose("SIGN_RAW_PAYLOAD_V2", signParams(address))
  t.match(await client.send(rejection(fingerprint), alice.key), { outcome: { status: REJECTED } })
  await client.acknowledge(organizationId, fingerprint, root.publicKeyHex)
  const quorum = await propose("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [rootUserId] })
  for (const member of [alice, bob]) await approve(member, quorum.fingerprint)
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    await refused(t, fixture, "ACTIVITY_REPLAYED", () => client.offer(body, stampWith(root, body)))
  }
  const twin = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
  t.match(await client.send(twin, root), { outcome: { status: COMPLETED } }, "a new body signs at once")
})

t.test(
  "B3: fingerprints of the last hour go to an overflow shard once the organization's shard is full",
  async (t) => {
    const fixture = await quorumOfThree(t)
    const { boundary, client, acme, address } = fixture
    const { organizationId, root } = acme
    const { ledger } = boundary.signer.state()
    const head = ledger.head(organizationId)!
    const expiresMs = boundary.nowMs() + HOUR_MS
    const value = Buffer.from(String(COMPLETED))
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      kind: "fingerprint" as const,
      key: fingerprintOf(`ran ${index}`),
      value,
      expiresMs,
    }))
    await ledger.commit([{ organizationId, expect: head, head, put: rows, remove: [] }])
    const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
    t.match(await client.send(body, root), { outcome: { status: CONSENSUS_NEEDED } })
    const again = fixture.rejection(fingerprintOf(body))
    t.match(await client.send(again, fixture.alice.key), { outcome: { status: REJECTED } })
    await client.acknowledge(organizationId, fingerprintOf(body), root.publicKeyHex)
    for (const restart of [false, true]) {
      if (restart) await boundary.restart()
      await refused(t, fixture, "ACTIVITY_REPLAYED", () => client.offer(body, stampWith(root, body)))
    }
    await boundary.signer.close()
    const counts = bookSizes(boundary.directory)
    const beside = [...counts].filter(([book]) => book.startsWith(`${organizationId}#ran-`))
    t.ok((counts.get(organizationId) ?? 0) <= 1_001, "the own book has what found room, and what waits")
    t.ok(beside.length > 100 && beside.every(([, count]) => count < 20), "the rest is spread")
  },
)

/** Rows of each shard of a closed ledger. */
function bookSizes(directory: string): Map<string, number> {
  const database = new DatabaseSync(join(directory, "signer", "ledger", "ledger.sqlite"), { readOnly: true })
  const counts = database.prepare("SELECT organization_id AS book, count(*) AS n FROM entry GROUP BY 1").all()
  database.close()
  return new Map(counts.map(({ book, n }) => [String(book), Number(n)]))
}
