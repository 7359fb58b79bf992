import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, signParams } from "../harness/api-client.ts"
import { documentOf } from "../harness/document.ts"
import { fingerprintOf, newKey, type TestKey } from "../harness/stamper.ts"
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
