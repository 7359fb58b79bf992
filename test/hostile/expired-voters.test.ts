// Keys that have expired can cast no vote: none is waited for, and those that they cast no longer count.
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, userParams, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { allow, request, setupMembers } from "./consensus-fixture.ts"
import { outcomeOf, voteOn } from "./mfa-fixture.ts"
import { asRoot, type Fixture, refused } from "./setup.ts"

const { CONSENSUS_NEEDED, COMPLETED } = ActivityStatus
const HOUR_MS = 60 * 60 * 1000

/** A user whose only key lives one hour. */
async function shortLived(fixture: Fixture, userName: string, parts: object = {}) {
  const key = newKey()
  const user = { ...userParams(userName), apiKeys: [apiKey(key, "short", "3600")], ...parts }
  const made = await asRoot(fixture).submit("CREATE_USERS_V4", { users: [user] })
  return { userId: valueOf(made, "createUsersResult").userIds[0]!, key }
}

const approvedBy = (...users: { userId: string }[]) =>
  users.map(({ userId }) => `approvers.any(u, u.id == '${userId}')`).join(" && ")

t.test("A5: an activity does not wait for the vote of a user whose keys have all expired", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, dan } = fixture
  const gus = await shortLived(fixture, "gus")
  const hal = await shortLived(fixture, "hal", { authenticators: [new Passkey().create()] })
  await allow(fixture, { consensus: `${approvedBy(dan)} && (${approvedBy(gus)} || ${approvedBy(hal)})` })
  const voters = async () => {
    const { status, decision } = await outcomeOf(fixture, request(fixture), dan.key)
    return { status, voterIds: decision?.voterIds }
  }
  t.same(await voters(), { status: CONSENSUS_NEEDED, voterIds: [gus.userId, hal.userId] })
  boundary.clock.pass(HOUR_MS)
  t.same(await voters(), { status: CONSENSUS_NEEDED, voterIds: [hal.userId] }, "hal has a passkey")

  const alone = await setupMembers(t)
  const ivy = await shortLived(alone, "ivy")
  await allow(alone, { consensus: approvedBy(alone.dan, ivy) })
  t.match(await outcomeOf(alone, request(alone), alone.dan.key), { status: CONSENSUS_NEEDED })
  alone.boundary.clock.pass(HOUR_MS)
  const body = request(alone)
  const attack = () => alone.client.offer(body, stampWith(alone.dan.key, body))
  await refused(t, alone, "PERMISSION_DENIED", attack, "nobody can complete it")
})

t.test("A5: the vote of a key ends with the key's lifetime, and its user may vote again", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, dan, eva } = fixture
  const lasting = newKey()
  const gus = await shortLived(fixture, "gus")
  const { userId } = gus
  await asRoot(fixture).submit("CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(lasting, "lasting")] })
  await allow(fixture, { consensus: approvedBy(dan, eva, gus) })
  const body = request(fixture)
  for (const { key } of [dan, gus]) {
    const vote = key === dan.key ? body : voteOn(fixture, body)
    t.match(await outcomeOf(fixture, vote, key), { status: CONSENSUS_NEEDED })
  }
  boundary.clock.pass(HOUR_MS)
  t.match(await outcomeOf(fixture, voteOn(fixture, body), eva.key), {
    status: CONSENSUS_NEEDED,
    decision: { voterIds: [userId] },
  })
  t.match(await outcomeOf(fixture, voteOn(fixture, body), lasting), { status: COMPLETED })
})
