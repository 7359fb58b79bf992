import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, signParams, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { documentOf } from "../harness/document.ts"
import { fingerprintOf, newKey, type TestKey } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { asRoot, type Fixture, setup } from "./setup.ts"

const { CONSENSUS_NEEDED, COMPLETED } = ActivityStatus

/** Request of a user with their own key: permitted, possibly after approvals of others. */
async function submit({ client, acme }: Fixture, key: TestKey, type: string, parameters: object) {
  const answer = await client.send(client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters), key)
  if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
  return answer.outcome
}

t.test("A5: a key deleted and added again gives its user no second vote", async (t) => {
  const fixture = await setup(t)
  const { client, acme, address } = fixture
  const [dan, eva, fay] = [
    await client.user(acme, "dan"),
    await client.user(acme, "eva"),
    await client.user(acme, "fay"),
  ]
  const ways = { users: "approvers.count() >= 3", keys: "credentials.count() >= 3" }
  for (const [policyName, consensus] of Object.entries(ways)) {
    const condition = "activity.action == 'SIGN'"
    const policy = { policyName, effect: "EFFECT_ALLOW", condition, consensus, notes: "" }
    await asRoot(fixture).submit("CREATE_POLICY_V3", policy)
  }
  const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  t.match(await client.send(body, dan.key), { is: "outcome", outcome: { status: CONSENSUS_NEEDED } })
  const vote = { fingerprint: `sha256:${fingerprintOf(body)}` }

  const { userId } = dan
  const second = newKey()
  await submit(fixture, dan.key, "CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(second, "second")] })
  const own = documentOf(client, acme.organizationId).users.find((user) => user.userId === userId)
  const first = own?.apiKeys.find(({ publicKey }) => publicKey === dan.key.publicKeyHex)
  await submit(fixture, second, "DELETE_API_KEYS", { userId, apiKeyIds: [first?.apiKeyId] })
  await submit(fixture, second, "APPROVE_ACTIVITY", vote)
  await submit(fixture, second, "CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(dan.key, "first again")] })

  const approvedByTwo = await submit(fixture, eva.key, "APPROVE_ACTIVITY", vote)
  t.equal(approvedByTwo.status, CONSENSUS_NEEDED, "two users have approved, however many keys")
  t.equal((await submit(fixture, fay.key, "APPROVE_ACTIVITY", vote)).status, COMPLETED)
})

t.test(
  "A5: a passkey registered anew under its id, with another key, does not revive the votes of the first",
  async (t) => {
    const fixture = await quorumOfThree(t)
    const { client, alice, bob, propose, approval, approve } = fixture
    const register = async (passkey: Passkey) => {
      const authenticators = [passkey.create()]
      const { fingerprint } = await propose("CREATE_AUTHENTICATORS_V2", {
        userId: alice.userId,
        authenticators,
      })
      await approve(alice, fingerprint)
      return valueOf(await approve(bob, fingerprint), "createAuthenticatorsResult").authenticatorIds
    }
    const first = new Passkey()
    const authenticatorIds = await register(first)
    const [counted, revived] = [await propose(), await propose()]
    for (const { fingerprint } of [counted, revived])
      t.match(await client.send(approval(fingerprint), first), { outcome: { status: CONSENSUS_NEEDED } })
    t.equal((await approve(bob, counted.fingerprint)).status, COMPLETED, "while it is registered")
    const removal = await propose("DELETE_AUTHENTICATORS", { userId: alice.userId, authenticatorIds })
    await approve(alice, removal.fingerprint)
    t.equal((await approve(bob, removal.fingerprint)).status, COMPLETED)
    await register(new Passkey({ idFrom: first }))
    t.equal((await approve(bob, revived.fingerprint)).status, CONSENSUS_NEEDED, "two of three")
    t.equal((await approve(alice, revived.fingerprint)).status, COMPLETED)
  },
)

t.test("A5: a vote is its voter's, also when its key has passed to another member", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, acme, alice, bob, eve, propose, approve } = fixture
  const { organizationId, rootUserId } = acme
  const { fingerprint } = await propose()
  t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED)
  const own = documentOf(client, organizationId).users.find(({ userId }) => userId === alice.userId)
  const spare = newKey()
  const carryOut = async (type: string, parameters: object, voters: { key: TestKey }[]) => {
    const proposal = await propose(type, parameters)
    const outcomes = []
    for (const voter of voters) outcomes.push(await approve(voter, proposal.fingerprint))
    t.equal(outcomes.at(-1)?.status, COMPLETED, type)
  }
  const others = [bob, eve]
  const members = { threshold: 3, userIds: [rootUserId, bob.userId, eve.userId] }
  const given = { userId: alice.userId, apiKeys: [apiKey(spare, "spare")] }
  await carryOut("CREATE_API_KEYS_V2", given, [alice, bob])
  await carryOut("UPDATE_ROOT_QUORUM", members, [alice, bob])
  const taken = { userId: alice.userId, apiKeyIds: [own?.apiKeys[0]?.apiKeyId] }
  await carryOut("DELETE_API_KEYS", taken, others)
  await carryOut(
    "CREATE_API_KEYS_V2",
    { userId: eve.userId, apiKeys: [apiKey(alice.key, "hers now")] },
    others,
  )
  t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED, "eve has not voted")
  t.equal((await approve({ key: alice.key }, fingerprint)).status, COMPLETED, "now she has, with that key")
})
