// A8: holds that answer no login themselves, as a key added later or an expired one, are not answered by others either.
import t from "tap"
import { apiKey, type Tenant, userParams } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { credentialOf, newKey, stampBy, type Stamper, stampWith, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { created, homeOf, LOGIN, loginBody, SECOND_MS } from "./family-fixture.ts"
import { type Fixture, refused, setup } from "./setup.ts"

type Owner = Pick<Tenant, "organizationId" | "root" | "rootUserId">

function give({ client }: Fixture, owner: Owner, by: TestKey | Passkey, more: object = {}) {
  const { organizationId, root, rootUserId: userId } = owner
  if (by instanceof Passkey) {
    const parameters = { userId, authenticators: [by.create()] }
    return client.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, parameters)
  }
  const parameters = { userId, apiKeys: [{ ...apiKey(by), ...more }] }
  return client.submit(root, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", organizationId, parameters)
}

/** Sub-organizations that hold a key which answers no login that names the parent, and the refusal it gets. */
const holds = {
  "a key added later": {
    code: "LOGIN_UNPROVEN",
    enter: async (fixture: Fixture, by: TestKey | Passkey) => {
      const customer = await child(fixture.client, fixture.acme)
      await give(fixture, customer, by)
      return customer
    },
  },
  "an expired key": {
    code: "CREDENTIAL_CONFLICT",
    enter: async (fixture: Fixture, by: TestKey | Passkey) => {
      const lasting = newKey()
      const apiKeys = [apiKey(lasting), { ...apiKey(newKey(), "expiring", "1"), publicKey: credentialOf(by) }]
      const customer = await created(fixture, { apiKeys })
      await fixture.boundary.pass(2 * SECOND_MS)
      return customer
    },
  },
} satisfies Record<string, { code: RefusalName; enter: unknown }>

for (const [what, { code, enter }] of Object.entries(holds)) {
  t.test(`A8: a parent's user diverts no login of ${what}`, async (t) => {
    const fixture = await setup(t)
    const { client, acme, boundary } = fixture
    const mallory = await client.user(acme, "mallory")
    const own = { organizationId: acme.organizationId, root: mallory.key, rootUserId: mallory.userId }
    const login = (by: Stamper) => {
      const body = loginBody(fixture)
      return client.offer(body, stampBy(by, body))
    }
    const attacks: Record<string, (by: TestKey) => Promise<unknown>> = {
      "a session": (by) => client.login(acme, mallory.key, {}, by),
      "an API key": (by) => give(fixture, own, by),
    }
    for (const [form, attack] of Object.entries(attacks)) {
      const key = newKey()
      await enter(fixture, key)
      await refused(t, fixture, code, () => login(key), `before ${form}`)
      await attack(key)
      await boundary.pass(SECOND_MS)
      await refused(t, fixture, code, () => login(key), `after ${form}`)
    }
  })
}

t.test("A8: a parent's user diverts no login of a passkey added later", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const mallory = await client.user(acme, "mallory")
  const passkey = new Passkey()
  const customer = await holds["a key added later"].enter(fixture, passkey)
  const own = { organizationId: acme.organizationId, root: mallory.key, rootUserId: mallory.userId }
  await give(fixture, own, passkey)
  await boundary.pass(SECOND_MS)
  const body = loginBody(fixture)
  await refused(t, fixture, "LOGIN_UNPROVEN", () => client.offer(body, stampBy(passkey, body)))
  await client.submit(passkey, LOGIN, customer.organizationId, { publicKey: newKey().publicKeyHex })
  t.equal(await homeOf(fixture, passkey), customer.organizationId, "after a login that named it")
})

t.test("A8: a sub-organization's user blocks no login of a parent's user whose key they add", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const alice = await client.user(acme, "alice")
  const session = await client.login(acme, alice.key)
  const attacker = await child(client, acme)
  for (const key of [acme.root, alice.key, session.key]) {
    t.equal(await homeOf(fixture, key), acme.organizationId, "before")
    await give(fixture, attacker, key)
    t.equal(await homeOf(fixture, key), acme.organizationId, "after")
  }
})

t.test("A8: a forged stamp does not show who holds its key", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const [added, shared, own] = [newKey(), newKey(), newKey()]
  const customer = await holds["a key added later"].enter(fixture, added)
  for (const home of ["first", "second"]) {
    const { organizationId } = await created(fixture, { apiKeys: [apiKey(shared, home)] })
    await client.submit(shared, LOGIN, organizationId, { publicKey: newKey().publicKeyHex })
  }
  const users = [userParams("alice", own)]
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_USERS_V3", acme.organizationId, { users })
  const body = loginBody(fixture)
  for (const { publicKeyHex } of [added, shared, own]) {
    const forged = stampWith({ ...newKey(), publicKeyHex }, body)
    await refused(t, fixture, "STAMP_INVALID", () => client.offer(body, forged))
  }
  const stranger = stampWith(newKey(), body)
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(body, stranger), "an unknown key")
  const genuine = (key: TestKey) => () => client.offer(body, stampWith(key, body))
  await refused(t, fixture, "LOGIN_UNPROVEN", genuine(added), "its holder is told")
  await refused(t, fixture, "CREDENTIAL_CONFLICT", genuine(shared), "its holder is told")
  t.equal(await homeOf(fixture, own), acme.organizationId)
  t.ok(customer)
})
