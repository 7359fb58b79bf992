import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, signParams } from "../harness/api-seat.ts"
import { documentOf } from "../harness/document.ts"
import { fingerprintOf, newKey, type TestKey } from "../harness/stamper.ts"
import { asRoot, type Stage, stage } from "./stage.ts"

const { CONSENSUS_NEEDED, COMPLETED } = ActivityStatus

/** What a user asks for with a key of his; he is allowed it, be it that others still have to approve. */
async function submit({ seat, acme }: Stage, key: TestKey, type: string, parameters: object) {
  const answer = await seat.send(seat.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters), key)
  if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
  return answer.outcome
}

t.test("A5: a key deleted and added again gives its user no second vote", async (t) => {
  const place = await stage(t)
  const { seat, acme, address } = place
  const [dan, eva, fay] = [
    await seat.user(acme, "dan"),
    await seat.user(acme, "eva"),
    await seat.user(acme, "fay"),
  ]
  const ways = { users: "approvers.count() >= 3", keys: "credentials.count() >= 3" }
  for (const [policyName, consensus] of Object.entries(ways)) {
    const condition = "activity.action == 'SIGN'"
    const policy = { policyName, effect: "EFFECT_ALLOW", condition, consensus, notes: "" }
    await asRoot(place).submit("CREATE_POLICY_V3", policy)
  }
  const body = seat.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  t.match(await seat.send(body, dan.key), { is: "outcome", outcome: { status: CONSENSUS_NEEDED } })
  const vote = { fingerprint: `sha256:${fingerprintOf(body)}` }

  const { userId } = dan
  const second = newKey()
  await submit(place, dan.key, "CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(second, "second")] })
  const own = documentOf(seat, acme.organizationId).users.find((user) => user.userId === userId)
  const first = own?.apiKeys.find(({ publicKey }) => publicKey === dan.key.publicKeyHex)
  await submit(place, second, "DELETE_API_KEYS", { userId, apiKeyIds: [first?.apiKeyId] })
  await submit(place, second, "APPROVE_ACTIVITY", vote)
  await submit(place, second, "CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(dan.key, "first again")] })

  const approvedByTwo = await submit(place, eva.key, "APPROVE_ACTIVITY", vote)
  t.equal(approvedByTwo.status, CONSENSUS_NEEDED, "two users have approved, however many keys")
  t.equal((await submit(place, fay.key, "APPROVE_ACTIVITY", vote)).status, COMPLETED)
})
