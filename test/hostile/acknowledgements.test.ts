import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { keptOutcome, outcomeOf } from "../harness/api-client.ts"
import type { InProcessBoundary } from "../harness/boundary.ts"
import { fingerprintOf, stampWith, type TestKey } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { ledgerDigest, refused, setup } from "./setup.ts"

const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"
const FINGERPRINT = "ab".repeat(32)

async function waiting(boundary: InProcessBoundary, organizationId = "") {
  const { outcomes } = await boundary.recover(organizationId)
  return outcomes.map(({ outcome }) => outcome?.decision?.voteId)
}

async function recovered(boundary: InProcessBoundary) {
  const { outcomes } = await boundary.recover("")
  return outcomes.map(({ body }) => Buffer.from(body).toString())
}

t.test("C1: acknowledging an unknown outcome changes nothing", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const other = await client.createOrganization("Other")
  const body = client.body(WALLET, acme.organizationId, { walletName: "One", accounts: [] })
  const first = await client.send(body, acme.root)
  const before = ledgerDigest(fixture)
  const fingerprint = fingerprintOf(body)
  const strange: [string, string][] = [
    [acme.organizationId, FINGERPRINT],
    [other.organizationId, fingerprint],
    ["", fingerprint],
    ["", `${acme.organizationId}/${fingerprint}`],
    [`${acme.organizationId}/`, fingerprint],
    ["no id \0 / \u{10ffff}", fingerprint],
    [acme.organizationId, ""],
    [acme.organizationId, "00".repeat(100_000)],
  ]
  const { publicKeyHex } = acme.root
  for (const [organizationId, hex] of strange) await client.acknowledge(organizationId, hex, publicKeyHex)
  for (const key of ["", other.root.publicKeyHex, `${publicKeyHex}/`])
    await client.acknowledge(acme.organizationId, fingerprint, key)
  t.equal(ledgerDigest(fixture), before, "nothing is forgotten, nothing noted")
  const again = outcomeOf(await client.offer(body, stampWith(acme.root, body)))
  t.same(again, keptOutcome(outcomeOf(first)), "the outcome can still be had")
  t.match(await client.send(signing(client.boundary.nowMs()), acme.root), { is: "outcome" })

  function signing(atMs: number) {
    const parameters = {
      signWith: address,
      payload: "00".repeat(32),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    }
    const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
    return client.body(
      type,
      acme.organizationId,
      { ...parameters, hashFunction: "HASH_FUNCTION_NO_OP" },
      atMs,
    )
  }
})

t.test(
  "A6: an acknowledgement sent too early loses the outcome and never lets its body run again",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme } = fixture
    const body = client.body(WALLET, acme.organizationId, { walletName: "One", accounts: [] })
    await client.acknowledge(acme.organizationId, fingerprintOf(body), acme.root.publicKeyHex)
    t.match(await client.send(body, acme.root), { is: "outcome" })
    for (let time = 0; time < 3; time++)
      await client.acknowledge(acme.organizationId, fingerprintOf(body), acme.root.publicKeyHex)
    t.notOk((await recovered(boundary)).includes(body), "the outcome is not recovered again")
    await refused(t, fixture, "ACTIVITY_REPLAYED", () => client.offer(body, stampWith(acme.root, body)))
  },
)

t.test("C1: after a restart, unacknowledged outcomes are recovered whole and in order", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const other = await client.createOrganization("Other")
  const bodies = Array.from({ length: 60 }, (_, index) =>
    client.body(WALLET, acme.organizationId, { walletName: `Wallet ${index}`, accounts: [] }),
  )
  for (const body of bodies) await client.send(body, acme.root)
  await boundary.restart()
  const found: string[] = []
  for (;;) {
    const { outcomes } = await boundary.recover(acme.organizationId)
    if (outcomes.length === 0) break
    for (const { body } of outcomes) {
      found.push(Buffer.from(body).toString())
      await client.acknowledge(acme.organizationId, fingerprintOf(body), acme.root.publicKeyHex)
    }
  }
  t.same(
    found.filter((body) => bodies.includes(body)),
    bodies,
  )
  t.equal((await waiting(boundary, other.organizationId)).length, 1, "others' outcomes are left alone")
})

t.test("C1: an identical body as a vote does not overwrite the outcome of the first", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, alice } = fixture
  const body = client.body(WALLET, acme.organizationId, { walletName: "One", accounts: [] })
  const first = await client.offer(body, stampWith(acme.root, body))
  const second = await client.offer(body, stampWith(alice.key, body))
  const [one, two] = [first, second].map((answer) => outcomeOf(answer).decision!.voteId)
  const all = await waiting(boundary, acme.organizationId)
  t.ok(all.includes(one) && all.includes(two) && one !== two, "both wait for their acknowledgement")
  const again = async (key: TestKey) => outcomeOf(await client.offer(body, stampWith(key, body)))
  t.same(await again(acme.root), keptOutcome(outcomeOf(first)), "each body under its own stamp")
  t.same(await again(alice.key), keptOutcome(outcomeOf(second)))
})

t.test("C1: acknowledging the first outcome of a body leaves the one of another user's vote", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, alice, bob } = fixture
  const body = client.body(WALLET, acme.organizationId, { walletName: "One", accounts: [] })
  await client.offer(body, stampWith(acme.root, body))
  await client.offer(body, stampWith(alice.key, body))
  const last = await client.offer(body, stampWith(bob.key, body))
  t.equal(outcomeOf(last).status, ActivityStatus.COMPLETED)
  await client.acknowledge(acme.organizationId, fingerprintOf(body), acme.root.publicKeyHex)
  const all = await waiting(boundary, acme.organizationId)
  t.ok(all.includes(outcomeOf(last).decision!.voteId), "the result is not lost with it")
  const again = outcomeOf(await client.offer(body, stampWith(bob.key, body)))
  t.same(again, keptOutcome(outcomeOf(last)))
})
