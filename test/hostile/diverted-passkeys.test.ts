// A8: a passkey registered again, under another id or key, leads no login away and blocks none.
import t from "tap"
import { outcomeOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey, type StampHeader, type Stamper } from "../harness/stamper.ts"
import { created, homeOf, LOGIN, loginBody, SECOND_MS } from "./family-fixture.ts"
import { refused, setup } from "./setup.ts"

for (const algorithm of ["ES256", "EdDSA", "RS256"] as const) {
  t.test(`A8: an ${algorithm} passkey registered under another id leads no login away`, async (t) => {
    const fixture = await setup(t)
    const { client, boundary } = fixture
    const passkey = new Passkey({ algorithm })
    const mine = await created(fixture, { passkeys: [passkey] })
    const renamed = new Passkey({ keyFrom: passkey })
    const body = loginBody(fixture)
    const stamp = JSON.parse(passkey.stamp(body)) as object
    await boundary.pass(SECOND_MS)
    await created(fixture, { passkeys: [renamed] })
    const { credentialIdText: credentialId } = renamed
    const exchanged: StampHeader = { xStampWebauthn: JSON.stringify({ ...stamp, credentialId }) }
    const code = algorithm === "ES256" ? "PASSKEY_UNKNOWN" : "CREDENTIAL_CONFLICT"
    await refused(t, fixture, code, () => client.offer(body, exchanged))
    const unaltered = { xStampWebauthn: JSON.stringify(stamp) }
    t.equal(outcomeOf(await client.offer(body, unaltered)).organizationId, mine.organizationId)
  })

  t.test(`A8: another key under the id of an ${algorithm} passkey blocks no login`, async (t) => {
    const fixture = await setup(t)
    const { client } = fixture
    const passkey = new Passkey({ algorithm })
    const mine = await created(fixture, { passkeys: [passkey] })
    const planted = new Passkey({ idFrom: passkey, algorithm })
    const attacker = await created(fixture, { passkeys: [planted] })
    await client.submit(planted, LOGIN, attacker.organizationId, { publicKey: newKey().publicKeyHex })
    t.equal(await homeOf(fixture, passkey), mine.organizationId)
    t.equal(await homeOf(fixture, passkey), mine.organizationId)
  })
}

t.test("A8: the public key of another user's passkey is taken, whatever its id", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const mallory = await client.user(acme, "mallory")
  const passkey = new Passkey()
  const renamed = new Passkey({ keyFrom: passkey })
  const register = (userId: string, by: Stamper, given: Passkey) => {
    const parameters = { userId, authenticators: [given.create()] }
    return client.send(
      client.body("ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", acme.organizationId, parameters),
      by,
    )
  }
  outcomeOf(await register(acme.rootUserId, acme.root, passkey))
  await refused(t, fixture, "CREDENTIAL_TAKEN", () => register(mallory.userId, mallory.key, renamed))
  outcomeOf(await register(mallory.userId, mallory.key, new Passkey({ idFrom: renamed })))
})
