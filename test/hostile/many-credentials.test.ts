// Every change of a sub-organization's document compares all of its credentials with the register of identities.
import t from "tap"
import { userParams } from "../harness/api-client.ts"
import { newKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { observeTurns } from "./observed-turns.ts"
import { setup } from "./setup.ts"

const KEYS = 100

t.test("B3: a change of a sub-organization with many credentials lets others have their turns", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { root, organizationId } = await child(client, acme)
  const users = Array.from({ length: KEYS / 20 }, (_, user) =>
    userParams(`user ${user}`, ...Array.from({ length: 20 }, newKey)),
  )
  await client.submit(root, "ACTIVITY_TYPE_CREATE_USERS_V4", organizationId, { users })
  const turns = observeTurns(t, fixture)
  const before = turns.of(organizationId)
  await client.submit(root, "ACTIVITY_TYPE_CREATE_USER_TAG", organizationId, {
    userTagName: "one",
    userIds: [],
  })
  t.ok(
    turns.of(organizationId) - before >= 2 * KEYS,
    "each credential is looked at in a turn, before and after",
  )
})
