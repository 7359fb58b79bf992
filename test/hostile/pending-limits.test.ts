import t from "tap"
import { signParams } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { patiently } from "./patience.ts"
import { quorumOfThree } from "./quorum.ts"
import { refused } from "./setup.ts"
import { isLong } from "../harness/long.ts"

/** Every run counts the proposals that a policy admits, and the bytes of all. */
const skip = isLong ? false : "long form: npm run test:long -- test/hostile/pending-limits.test.ts"

t.test(
  "an organization has at most a thousand pending activities, and can still vote on them",
  { skip },
  async (t) => {
    const fixture = await quorumOfThree(t)
    const { client, acme, alice, propose, approve } = fixture
    const { organizationId, root } = acme
    const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
    const request = (index: number) =>
      client.body(type, organizationId, signParams("0x00", index.toString(16).padStart(64, "0")))
    const { fingerprint } = await propose()
    await flood(999, (index) => patiently(() => client.send(request(index), root)))
    const oneMore = request(1000)
    await refused(t, fixture, "LIMIT_EXCEEDED", () =>
      patiently(() => client.offer(oneMore, stampWith(root, oneMore))),
    )
    t.ok(await approve(alice, fingerprint))
  },
)

t.test("B3: an organization's pending activities are bounded in bytes, also across a restart", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme } = fixture
  const { organizationId, root } = acme
  // Unknown members are ignored, and stored with the rest of the body.
  const request = (walletName: string, bytes: number) =>
    client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
      walletName,
      accounts: [],
      x: "x".repeat(bytes),
    })
  const propose = (body: string) => patiently(() => client.offer(body, stampWith(root, body)))
  const large = 2_000_000
  for (let taken = 0; taken < 16; taken++) {
    t.match(await propose(request(`Wish ${taken}`, large)), { is: "outcome" })
  }
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    await refused(t, fixture, "LIMIT_EXCEEDED", () => propose(request("Too much", large)))
  }
  t.match(await propose(request("Small", 0)), { is: "outcome" })
  const other = await client.createOrganization("Other")
  t.ok((await client.wallet(other)).walletId, "others are not concerned")
})

t.test("B3: proposals that a policy admits take no capacity from the root quorum", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, acme, alice, bob, eve, propose, approve } = fixture
  const { organizationId } = acme
  const condition = "activity.resource == 'WALLET'"
  const two = { effect: "EFFECT_ALLOW", condition, consensus: "approvers.count() >= 2", notes: "" }
  const policy = await propose("CREATE_POLICY_V3", { policyName: "two", ...two })
  for (const member of [alice, bob]) await approve(member, policy.fingerprint)
  const request = (walletName: string) =>
    client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName, accounts: [] })
  const answers = await flood(900, (index) => patiently(() => client.send(request(`Wish ${index}`), eve.key)))
  t.ok(answers.every(({ is }) => is === "outcome"))
  const oneMore = request("one more")
  await refused(t, fixture, "LIMIT_EXCEEDED", () =>
    patiently(() => client.offer(oneMore, stampWith(eve.key, oneMore))),
  )
  const removal = await propose("DELETE_USERS", { userIds: [eve.userId] })
  await approve(alice, removal.fingerprint)
  t.ok(await approve(bob, removal.fingerprint), "who floods can be removed")
})

/** Few at a time, so that each runs before it has waited for ten seconds. */
async function flood<Reply>(count: number, send: (index: number) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let from = 0; from < count; from += 20) {
    const batch = Array.from({ length: Math.min(20, count - from) }, (_, offset) => send(from + offset))
    replies.push(...(await Promise.all(batch)))
  }
  return replies
}
