import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { SuppliedDocuments } from "../../signer/enclave/execution/state/organizations.ts"
import { apiKey } from "../harness/api-client.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { refused } from "./setup.ts"

const MINUTE_MS = 60 * 1000
const DAY_MS = 24 * 60 * MINUTE_MS
const { CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus

t.test(
  "A5: a proposal to grant its submitter a credential does not complete once their vote has lapsed",
  async (t) => {
    const fixture = await quorumOfThree(t)
    const { boundary, client, acme, alice, bob, eve, propose, approve } = fixture
    const { organizationId, rootUserId } = acme
    const thief = newKey()
    const request = { userId: rootUserId, apiKeys: [apiKey(thief, "thief")] }
    const { fingerprint } = await propose("CREATE_API_KEYS_V2", request)
    const expels = { threshold: 3, userIds: [alice.userId, bob.userId, eve.userId] }
    const expulsion = await propose("UPDATE_ROOT_QUORUM", expels)
    await approve(alice, expulsion.fingerprint)
    t.equal((await approve(bob, expulsion.fingerprint)).status, COMPLETED)

    boundary.clock.pass(30 * DAY_MS)
    t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED, "one of three is one of three")
    const asThief = client.body("ACTIVITY_TYPE_CREATE_API_KEYS_V2", organizationId, request)
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(asThief, stampWith(thief, asThief)))
  },
)

t.test("A5: votes of a deleted key end with it, and its user may vote again", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, alice, bob, give, propose, approve, approval, rejection } = fixture
  const { organizationId } = acme
  const stolen = newKey()
  await give(alice, stolen)
  const { fingerprint } = await propose()
  const theft = approval(fingerprint)
  t.match(await client.send(theft, stolen), { is: "outcome" })

  const shown = new SuppliedDocuments([], boundary.signer.state().keyring.notary)
  const organization = boundary.signer.state().organizations.openCurrent(organizationId, shown)
  const { apiKeys } = organization.user(alice.userId)!
  const apiKeyIds = apiKeys.flatMap((key) => (key.publicKey === stolen.publicKeyHex ? [key.apiKeyId] : []))
  const removal = await propose("DELETE_API_KEYS", { userId: alice.userId, apiKeyIds })
  await approve(alice, removal.fingerprint)
  t.equal((await approve(bob, removal.fingerprint)).status, COMPLETED)

  t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED, "two live votes of three")
  await refused(t, fixture, "ACTIVITY_REPLAYED", () => client.offer(theft, stampWith(alice.key, theft)))
  const veto = await client.send(rejection(fingerprint), alice.key)
  t.match(veto, { is: "outcome", outcome: { status: REJECTED } })
})

t.test("A5: a spare body stamped before the votes lapsed does not renew one", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, alice, bob, propose, approve, approval } = fixture
  const { fingerprint } = await propose()
  boundary.clock.pass(DAY_MS - 10 * MINUTE_MS)
  const [given, spare] = [approval(fingerprint), approval(fingerprint)]
  t.match(await client.send(given, alice.key), { is: "outcome" })
  await refused(t, fixture, "VOTE_REPEATED", () => client.offer(spare, stampWith(alice.key, spare)))
  boundary.clock.pass(10 * MINUTE_MS)
  await refused(t, fixture, "REQUEST_STALE", () => client.offer(spare, stampWith(alice.key, spare)))
  t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED)
  t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED, "a new one counts")
})

t.test("B3: a vote's body over its bound is refused", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, alice, propose, approval } = fixture
  const { fingerprint } = await propose()
  const padded = approval(fingerprint).replace("{", `{${" ".repeat(8 * 1024)}`)
  await refused(t, fixture, "REQUEST_TOO_LARGE", () => client.offer(padded, stampWith(alice.key, padded)))
})
