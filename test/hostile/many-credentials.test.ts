// Every change of a sub-organization's document compares all of its credentials with the register of identities. A new
// passkey is compared with all others of its organization.
import { generateKeyPairSync } from "node:crypto"
import t from "tap"
import { userParams, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { observeTurns } from "./observed-turns.ts"
import { asRoot, refused, setup } from "./setup.ts"

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

const passkeys = (count: number) => Array.from({ length: count }, () => new Passkey().create())

/** Users with ten passkeys each. */
const usersWithPasskeys = (count: number) =>
  Array.from({ length: count }, (_, user) => ({
    ...userParams(`passkeys ${user}`, newKey()),
    authenticators: passkeys(10),
  }))

t.test("B3: a new passkey is compared with all others without parsing their keys", async (t) => {
  const fixture = await setup(t)
  const { submit, attempt } = asRoot(fixture)
  const known = new Passkey()
  const own = { ...userParams("own", newKey()), authenticators: [known.create()] }
  const made = await submit("CREATE_USERS_V4", { users: [own, ...usersWithPasskeys(4)] })
  const [userId = ""] = valueOf(made, "createUsersResult").userIds
  const added = { userId, authenticators: passkeys(3) }
  const taken = { userId, authenticators: [new Passkey({ keyFrom: known }).create()] }

  let parsed = 0
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { export: written } = publicKey
  t.intercept(Object.getPrototypeOf(publicKey), "export", {
    value(...options: never[]) {
      parsed += 1
      return Reflect.apply(written, this, options)
    },
  })
  const turns = observeTurns(t, fixture)
  await submit("CREATE_AUTHENTICATORS_V2", added)
  t.equal(parsed, 0, "no key of a passkey is written from its parsed form")
  t.ok(turns.of(fixture.acme.organizationId) >= 3, "each new passkey is compared in a turn of its own")
  await refused(t, fixture, "CREDENTIAL_TAKEN", () => attempt("CREATE_AUTHENTICATORS_V2", taken))
})

t.test("B3: the register reads the passkeys of a sub-organization in slices", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { root, organizationId } = await child(client, acme)
  const users = usersWithPasskeys(4)
  await client.submit(root, "ACTIVITY_TYPE_CREATE_USERS_V4", organizationId, { users })
  const turns = observeTurns(t, fixture)
  const tag = { userTagName: "one", userIds: [] }
  await client.submit(root, "ACTIVITY_TYPE_CREATE_USER_TAG", organizationId, tag)
  const READINGS = 4
  t.ok(turns.of(organizationId) >= READINGS * 40, "each passkey has a turn whenever its key is read")
})
