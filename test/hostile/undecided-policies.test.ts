// Policies that cost too much: what they leave unknown is refused by their name, and other policies decide as without them.
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { userParams } from "../harness/api-client.ts"
import { fingerprintOf, newKey } from "../harness/stamper.ts"
import { allow, request, setupMembers } from "./consensus-fixture.ts"
import { asRoot, refused } from "./setup.ts"

/** Compares approvals with each other, and no set of them meets it: every set must be tried. */
const COSTLY = "approvers.any(u, credentials.any(c, c.user_id == u.id && c.id == 'no such credential'))"

async function setupCostly(t: Parameters<typeof setupMembers>[0]) {
  const fixture = await setupMembers(t)
  const users = Array.from({ length: 12 }, (_, index) => userParams(`user ${index}`, newKey()))
  await asRoot(fixture).submit("CREATE_USERS_V4", { users })
  return { ...fixture, costly: await allow(fixture, { consensus: COSTLY }) }
}

t.test(
  "B6: a request that only a costly policy might allow is refused by the policy's name, not denied",
  async (t) => {
    const fixture = await setupCostly(t)
    const { client, dan, costly } = fixture
    const body = request(fixture)
    await refused(t, fixture, "POLICY_UNDECIDED", () => client.send(body, dan.key))
    const answer = await client.send(body, dan.key)
    t.match(answer.is === "refused" && answer.sentence, new RegExp(`^policy ${costly}: `))
    await asRoot(fixture).submit("UPDATE_POLICY_V2", {
      policyId: costly,
      policyConsensus: "approvers.count() >= 1",
    })
    t.match(
      await client.send(body, dan.key),
      { is: "outcome" },
      "the same body runs once the policy is mended",
    )
  },
)

t.test("B6: votes and decisions of other policies are as without the costly one", async (t) => {
  const fixture = await setupCostly(t)
  const { client, acme, dan, eva, fay, costly } = fixture
  await allow(fixture, {
    consensus: `approvers.any(u, u.id == '${dan.userId}') && approvers.any(u, u.id == '${eva.userId}')`,
  })
  const body = request(fixture)
  t.match(await client.send(body, dan.key), {
    is: "outcome",
    outcome: { status: ActivityStatus.CONSENSUS_NEEDED },
  })
  const vote = () =>
    client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, {
      fingerprint: `sha256:${fingerprintOf(body)}`,
    })
  await refused(t, fixture, "POLICY_UNDECIDED", () => client.send(vote(), fay.key))
  const answer = await client.send(vote(), fay.key)
  t.match(answer.is === "refused" && answer.sentence, new RegExp(`^policy ${costly}: `))
  t.match(await client.send(vote(), eva.key), {
    is: "outcome",
    outcome: { status: ActivityStatus.COMPLETED },
  })
})

t.test("B6: seventy policies that name a deleted user leave the votes of others what they are", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, eva, fay } = fixture
  const gone = (index: number) => `00000000-0000-4000-8000-0000000000${String(index).padStart(2, "0")}`
  const policies = Array.from({ length: 70 }, (_, index) => ({
    policyName: `deleted ${index}`,
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(u, u.id == '${gone(index)}') && approvers.count() >= 2`,
    notes: "",
  }))
  await asRoot(fixture).submit("CREATE_POLICIES", { policies })
  const users = Array.from({ length: 27 }, (_, index) => userParams(`user ${index}`, newKey()))
  await asRoot(fixture).submit("CREATE_USERS_V4", { users })
  const body = request(fixture)
  await refused(
    t,
    fixture,
    "PERMISSION_DENIED",
    () => client.send(body, dan.key),
    "none of them is met by anyone",
  )
  await allow(fixture, { consensus: `approvers.any(u, u.id == '${dan.userId}') && approvers.count() >= 3` })
  t.match(await client.send(body, dan.key), {
    is: "outcome",
    outcome: { status: ActivityStatus.CONSENSUS_NEEDED },
  })
  const vote = () =>
    client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, {
      fingerprint: `sha256:${fingerprintOf(body)}`,
    })
  t.match(await client.send(vote(), eva.key), {
    is: "outcome",
    outcome: { status: ActivityStatus.CONSENSUS_NEEDED },
  })
  t.match(await client.send(vote(), fay.key), {
    is: "outcome",
    outcome: { status: ActivityStatus.COMPLETED },
  })
})
