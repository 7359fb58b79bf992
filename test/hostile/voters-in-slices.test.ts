// An activity that waits, and each vote on it, looks for the users who may still vote.
import t from "tap"
import { userParams } from "../harness/api-client.ts"
import { newKey } from "../harness/stamper.ts"
import { allow, request, setupMembers } from "./consensus-fixture.ts"
import { observeTurns } from "./observed-turns.ts"
import { asRoot } from "./setup.ts"

const POLICIES = 20

t.test(
  "B3: users who may vote are looked for in slices, when an activity waits and at each vote",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, acme, dan, eva } = fixture
    const { organizationId } = acme
    const users = Array.from({ length: 5 }, (_, index) => userParams(`voter ${index}`, newKey()))
    await asRoot(fixture).submit("CREATE_USERS_V4", { users })
    for (let index = 0; index < POLICIES; index++)
      await allow(fixture, { consensus: `approvers.count() >= 3 && ${index} >= 0` })
    const body = request(fixture)
    await client.send(body, dan.key)
    const turns = observeTurns(t, fixture)
    const turnsOf = async (by: typeof dan, sent: string) => {
      const before = turns.of(organizationId)
      t.match(await client.send(sent, by.key), { is: "outcome" })
      return turns.of(organizationId) - before
    }
    t.ok(
      (await turnsOf(dan, request(fixture, "22"))) >= POLICIES,
      "each policy has a turn when an activity waits",
    )
    t.ok((await turnsOf(eva, body)) >= POLICIES, "and at each vote")
  },
)
