// The API tier sees a passing sealed client secret, and registers it for a tenant of its own before its owner's.
import { encryptOauth2ClientSecret } from "@turnkey/crypto"
import t from "tap"
import { sealEnvelope } from "../../signer/core/crypto/envelope.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { bindSecret } from "../../signer/core/fetch-orders/bound-secret.ts"
import { randomBytes } from "node:crypto"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

const OTHER = "CLIENT_SECRET_OF_ANOTHER_ORGANIZATION"
const CREATE = "CREATE_OAUTH2_CREDENTIAL"

async function actors(t: Parameters<typeof setup>[0]) {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const thief = asRoot({ client, acme: await client.createOrganization("Thief") })
  return { fixture, organizationId: acme.organizationId, owner: asRoot(fixture), thief }
}

function sealedFor(fixture: Fixture, organizationId: string): string {
  const point = Buffer.from(fixture.fakeFetcher.keySet.publicHex.slice(0, 130), "hex")
  const text = Secret.moveFrom(bindSecret("client-secret", organizationId, Buffer.from("top secret")))
  return Buffer.from(sealEnvelope(point, text, randomBytes)).toString("hex")
}

const credential = (encryptedClientSecret: string, clientId = "app") => {
  return { provider: "OAUTH2_PROVIDER_X", clientId, encryptedClientSecret }
}

t.test(
  "F10: a secret sealed for an organization is registered by no other, also before its owner",
  async (t) => {
    const { fixture, organizationId, owner, thief } = await actors(t)
    const sealed = sealedFor(fixture, organizationId)
    for (const spelling of [sealed, sealed.toUpperCase()])
      await refused(t, fixture, OTHER, () => thief.attempt(CREATE, credential(spelling)), "registered first")
    const own = await thief.submit(CREATE, credential(await fixture.fakeFetcher.sealClientSecret("mine")))
    const { value } = own.result!.result as { value: { oauth2CredentialId: string } }
    const update = { oauth2CredentialId: value.oauth2CredentialId, ...credential(sealed) }
    await refused(t, fixture, OTHER, () => thief.attempt("UPDATE_OAUTH2_CREDENTIAL", update), "in an update")
    t.ok(
      await owner.submit(CREATE, credential(sealed)),
      "the unaltered order: its owner registers it afterwards",
    )
    await refused(
      t,
      fixture,
      OTHER,
      () => thief.attempt(CREATE, credential(sealed, "late")),
      "registered later",
    )
  },
)

t.test("F10: a published client can bind its secret by the text that it seals", async (t) => {
  const { fixture, organizationId, owner, thief } = await actors(t)
  const text = `countersign/v1/client-secret:${organizationId}:top secret`
  const point = fixture.fakeFetcher.keySet.publicHex.slice(0, 130)
  const sealed = await encryptOauth2ClientSecret(text, point)
  await refused(t, fixture, OTHER, () => thief.attempt(CREATE, credential(sealed)))
  t.ok(await owner.submit(CREATE, credential(sealed)))
  const spoiled = await encryptOauth2ClientSecret("countersign/v1/client-secret:acme:top secret", point)
  const attack = () => owner.attempt(CREATE, credential(spoiled, "odd"))
  await refused(t, fixture, "CLIENT_SECRET_INVALID", attack, "bound to something else than an id")
})

t.test(
  "what remains: a bare secret is its first registrant's, and its owner's registration fails",
  async (t) => {
    const { fixture, owner, thief } = await actors(t)
    const sealed = await fixture.fakeFetcher.sealClientSecret("top secret")
    t.ok(await thief.submit(CREATE, credential(sealed)))
    await refused(t, fixture, "CLIENT_SECRET_INVALID", () => owner.attempt(CREATE, credential(sealed)))
    t.ok(await owner.submit(CREATE, credential(await fixture.fakeFetcher.sealClientSecret("top secret"))))
  },
)
