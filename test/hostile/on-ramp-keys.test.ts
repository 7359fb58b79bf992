// The API tier sees sealed keys of an on-ramp provider pass, and registers them for a tenant of its own.
import { encryptOnRampSecret } from "@turnkey/crypto"
import t from "tap"
import { bindSecret } from "../../signer/core/fetch-orders/bound-secret.ts"
import { moonPayCredential } from "../harness/on-ramp.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

const OTHER = "ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION"
const CREATE = "CREATE_FIAT_ON_RAMP_CREDENTIAL"
const KEY = "sk_test_NotARealKey0123456789"

async function actors(t: Parameters<typeof setup>[0]) {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const thief = asRoot({ client, acme: await client.createOrganization("Thief") })
  return { fixture, organizationId: acme.organizationId, owner: asRoot(fixture), thief }
}

function boundTo(organizationId: string): string {
  return Buffer.from(bindSecret("on-ramp-key", organizationId, Buffer.from(KEY))).toString()
}

const withKey = ({ fakeFetcher }: Fixture, encryptedSecretApiKey: string) =>
  moonPayCredential(fakeFetcher, { encryptedSecretApiKey })

t.test(
  "F12: a key sealed for an organization is registered by no other, also before its owner",
  async (t) => {
    const { fixture, organizationId, owner, thief } = await actors(t)
    const sealed = await fixture.fakeFetcher.sealOnRampKey(boundTo(organizationId))
    const parameters = await withKey(fixture, sealed)
    await refused(t, fixture, OTHER, () => thief.attempt(CREATE, parameters), "registered first")
    const own = await thief.submit(CREATE, await moonPayCredential(fixture.fakeFetcher))
    const { value } = own.result!.result as { value: { fiatOnRampCredentialId: string } }
    const { sandboxMode: _, ...keys } = parameters
    const update = { fiatOnrampCredentialId: value.fiatOnRampCredentialId, ...keys }
    await refused(
      t,
      fixture,
      OTHER,
      () => thief.attempt("UPDATE_FIAT_ON_RAMP_CREDENTIAL", update),
      "an update",
    )
    t.ok(await owner.submit(CREATE, parameters), "the unaltered order: its owner registers it afterwards")
  },
)

t.test("F12: a bare sealed key belongs to the organization that registered it first, for good", async (t) => {
  const { fixture, owner, thief } = await actors(t)
  const parameters = await withKey(fixture, await fixture.fakeFetcher.sealOnRampKey(KEY))
  const created = await owner.submit(CREATE, parameters)
  const { value } = created.result!.result as { value: { fiatOnRampCredentialId: string } }
  const copy = () => thief.attempt(CREATE, parameters)
  await refused(t, fixture, "ON_RAMP_KEY_INVALID", copy, "copied by another organization")
  const fiatOnrampCredentialId = value.fiatOnRampCredentialId
  await owner.submit("DELETE_FIAT_ON_RAMP_CREDENTIAL", { fiatOnrampCredentialId })
  await fixture.boundary.restart()
  fixture.fakeFetcher.obey(fixture.boundary)
  await refused(t, fixture, "ON_RAMP_KEY_INVALID", copy, "when its owner has deleted it, after a restart")
  t.ok(await owner.submit(CREATE, parameters), "its owner may use it again")
})

t.test("F13: only the on-ramp key opens keys of providers, and it opens nothing else", async (t) => {
  const { fixture, organizationId, owner } = await actors(t)
  const { fakeFetcher } = fixture
  const attempts: [what: string, sealed: string][] = [
    ["sealed to the key of client secrets", await sealedToClientSecrets(fixture)],
    ["bound to something else", await fakeFetcher.sealOnRampKey(`countersign/v1/on-ramp-key:acme:${KEY}`)],
    [
      "bound for the other purpose",
      await fakeFetcher.sealOnRampKey(`countersign/v1/client-secret:${organizationId}:${KEY}`),
    ],
  ]
  for (const [what, sealed] of attempts) {
    const parameters = await withKey(fixture, sealed)
    await refused(t, fixture, "ON_RAMP_KEY_INVALID", () => owner.attempt(CREATE, parameters), what)
  }
  const bound = await fakeFetcher.sealOnRampKey(boundTo(organizationId))
  const clientSecret = { provider: "OAUTH2_PROVIDER_X", clientId: "app", encryptedClientSecret: hexOf(bound) }
  const crossed = () => owner.attempt("CREATE_OAUTH2_CREDENTIAL", clientSecret)
  await refused(t, fixture, "CLIENT_SECRET_INVALID", crossed, "as a client secret")
  t.ok(await owner.submit(CREATE, await withKey(fixture, bound)), "the unaltered twin")
})

async function sealedToClientSecrets({ fakeFetcher }: Fixture): Promise<string> {
  const point = fakeFetcher.keySet.publicHex.slice(0, 130)
  const parity = Number.parseInt(point.slice(-1), 16) % 2 === 1 ? "03" : "02"
  return encryptOnRampSecret(KEY, parity + point.slice(2, 66))
}

const hexOf = (text: string) => Buffer.from(text).toString("hex")
