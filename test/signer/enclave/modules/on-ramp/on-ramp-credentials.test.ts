import t from "tap"
import { FiatOnRampProvider } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { asRoot, type Fixture, refused, setup } from "../../../../hostile/setup.ts"
import { type Tenant, valueOf } from "../../../../harness/api-client.ts"
import { documentOf } from "../../../../harness/document.ts"
import { child } from "../../../../harness/sub-organization.ts"
import { coinbaseCredential, coinbaseKey, moonPayCredential } from "../../../../harness/on-ramp.ts"

const STRANGER = "00000000-0000-4000-8000-000000000000"

function asOwner(fixture: Fixture, acme: Tenant = fixture.acme) {
  const { submit, attempt } = asRoot({ client: fixture.client, acme })
  return {
    attempt,
    async create(parameters: object): Promise<string> {
      const outcome = await submit("CREATE_FIAT_ON_RAMP_CREDENTIAL", parameters)
      return valueOf(outcome, "createFiatOnRampCredentialResult").fiatOnRampCredentialId
    },
    update: (parameters: object) => submit("UPDATE_FIAT_ON_RAMP_CREDENTIAL", parameters),
    remove: (fiatOnrampCredentialId: string) =>
      submit("DELETE_FIAT_ON_RAMP_CREDENTIAL", { fiatOnrampCredentialId }),
    stored: () => documentOf(fixture.client, acme.organizationId).onRampCredentials,
  }
}

t.test("a credential is stored with its keys as submitted, replaced and deleted", async (t) => {
  const fixture = await setup(t)
  const { create, update, remove, stored } = asOwner(fixture)
  const parameters = await moonPayCredential(fixture.fakeFetcher)
  const credentialId = await create(parameters)
  const { publishableApiKey, encryptedSecretApiKey } = parameters
  const provider = FiatOnRampProvider.MOONPAY
  t.match(stored(), [{ credentialId, provider, sandbox: true, publishableApiKey, encryptedSecretApiKey }])
  const { createdAtMs } = stored()[0]!
  const { sandboxMode: _, ...next } = await moonPayCredential(fixture.fakeFetcher, {
    publishableApiKey: "pk_test_Other",
  })
  const outcome = await update({ fiatOnrampCredentialId: credentialId, ...next })
  t.match(valueOf(outcome, "updateFiatOnRampCredentialResult"), { fiatOnRampCredentialId: credentialId })
  t.match(stored(), [{ credentialId, sandbox: true, publishableApiKey: "pk_test_Other", createdAtMs }])
  t.ok(stored()[0]!.updatedAtMs > createdAtMs)
  const deleted = await remove(credentialId.toUpperCase())
  t.match(valueOf(deleted, "deleteFiatOnRampCredentialResult"), { fiatOnRampCredentialId: credentialId })
  t.strictSame(stored(), [])
})

t.test("Coinbase's keys may be of P-256 or of Ed25519", async (t) => {
  const fixture = await setup(t)
  const { create, stored } = asOwner(fixture)
  await create(await coinbaseCredential(fixture.fakeFetcher, coinbaseKey("ES256").text))
  const test = { sandboxMode: true }
  await create(await coinbaseCredential(fixture.fakeFetcher, coinbaseKey("EdDSA").text, test))
  t.match(stored(), [
    { provider: FiatOnRampProvider.COINBASE, sandbox: false, projectId: "project" },
    { provider: FiatOnRampProvider.COINBASE, sandbox: true },
  ])
})

t.test("an organization has one credential for each provider and mode", async (t) => {
  const fixture = await setup(t)
  const { create, update, remove, attempt } = asOwner(fixture)
  const { fakeFetcher } = fixture
  const id = await create(await moonPayCredential(fakeFetcher))
  const twin = await moonPayCredential(fakeFetcher)
  await refused(t, fixture, "NAME_TAKEN", () => attempt("CREATE_FIAT_ON_RAMP_CREDENTIAL", twin))
  const live = { sandboxMode: false, publishableApiKey: "pk_live_x" }
  const encryptedSecretApiKey = await fakeFetcher.sealOnRampKey("sk_live_x")
  await create(await moonPayCredential(fakeFetcher, { ...live, encryptedSecretApiKey }))
  const other = await coinbaseCredential(fakeFetcher, coinbaseKey("EdDSA").text, { sandboxMode: true })
  const coinbase = await create(other)
  const { sandboxMode: _, ...moonPay } = await moonPayCredential(fakeFetcher)
  const clash = { fiatOnrampCredentialId: coinbase, ...moonPay }
  await refused(t, fixture, "NAME_TAKEN", () => attempt("UPDATE_FIAT_ON_RAMP_CREDENTIAL", clash))
  await update({ fiatOnrampCredentialId: id, ...moonPay })
  await remove(id)
  t.ok(await update(clash), "the provider changes where the place is free")
})

t.test("keys that do not open, or are of another form, are refused", async (t) => {
  const fixture = await setup(t)
  const { attempt, create } = asOwner(fixture)
  const { fakeFetcher } = fixture
  const seal = (text: string) => fakeFetcher.sealOnRampKey(text)
  const good = await moonPayCredential(fakeFetcher)
  const edDsa = coinbaseKey("EdDSA").text
  const otherHalf = Buffer.from(edDsa, "base64")
  otherHalf[63]! ^= 1
  const secp = "-----BEGIN EC PRIVATE KEY-----\nbm90IGEga2V5\n-----END EC PRIVATE KEY-----\n"
  const faulty: [what: string, parameters: object][] = [
    ["MoonPay: of live purchases", { ...good, encryptedSecretApiKey: await seal("sk_live_x") }],
    ["MoonPay: nothing after its prefix", { ...good, encryptedSecretApiKey: await seal("sk_test_") }],
    ["MoonPay: no secret key", { ...good, encryptedSecretApiKey: await seal("pk_test_x") }],
    ["MoonPay: a line break", { ...good, encryptedSecretApiKey: await seal("sk_test_a\nb") }],
    ["Coinbase: no PEM", await coinbaseCredential(fakeFetcher, secp)],
    ["Coinbase: cut off", await coinbaseCredential(fakeFetcher, edDsa.slice(0, -4))],
    ["Coinbase: no base64", await coinbaseCredential(fakeFetcher, `?${edDsa.slice(1)}`)],
    ["Coinbase: another's public half", await coinbaseCredential(fakeFetcher, otherHalf.toString("base64"))],
    [
      "Coinbase: a private key for its id",
      await coinbaseCredential(fakeFetcher, edDsa, { encryptedSecretApiKey: await seal(edDsa) }),
    ],
  ]
  for (const [what, parameters] of faulty) {
    const attack = () => attempt("CREATE_FIAT_ON_RAMP_CREDENTIAL", parameters)
    await refused(t, fixture, "ON_RAMP_KEY_INVALID", attack, what)
  }
  t.ok(await create(good), "the unaltered twin")
})

t.test("each member is refused by its name", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asOwner(fixture)
  const { fakeFetcher } = fixture
  const moonPay = await moonPayCredential(fakeFetcher)
  const coinbase = await coinbaseCredential(fakeFetcher, coinbaseKey("EdDSA").text)
  const { projectId: _, ...withoutProject } = coinbase
  const { encryptedPrivateApiKey, ...withoutPrivate } = coinbase
  const sealed = moonPay.encryptedSecretApiKey
  const faulty: [field: string, parameters: object][] = [
    ["projectId", withoutProject],
    ["encryptedPrivateApiKey", withoutPrivate],
    ["encryptedPrivateApiKey", { ...moonPay, encryptedPrivateApiKey }],
    ["encryptedPrivateApiKey", { ...coinbase, encryptedPrivateApiKey: "z" }],
    ["encryptedSecretApiKey", { ...moonPay, encryptedSecretApiKey: `${sealed}1` }],
    ["encryptedSecretApiKey", { ...moonPay, encryptedSecretApiKey: sealed.toLowerCase() }],
    ["encryptedSecretApiKey", { ...moonPay, encryptedSecretApiKey: "0OIl" }],
    ["publishableApiKey", { ...moonPay, publishableApiKey: "pk_live_x" }],
    ["publishableApiKey", { ...moonPay, publishableApiKey: "pk_test_x&y" }],
    ["publishableApiKey", { ...moonPay, sandboxMode: false }],
    ["onrampProvider", { ...moonPay, onrampProvider: "FIAT_ON_RAMP_PROVIDER_TRANSAK" }],
  ]
  for (const [field, parameters] of faulty) {
    const answer = await attempt("CREATE_FIAT_ON_RAMP_CREDENTIAL", parameters)
    t.match(answer, { is: "refused", code: "REQUEST_INVALID" }, field)
    t.match(answer.is === "refused" && answer.sentence, new RegExp(`parameters\\.${field}`))
  }
})

t.test("unknown credentials are neither changed nor deleted", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asOwner(fixture)
  const { sandboxMode: _, ...parameters } = await moonPayCredential(fixture.fakeFetcher)
  const fiatOnrampCredentialId = STRANGER
  const update = () => attempt("UPDATE_FIAT_ON_RAMP_CREDENTIAL", { fiatOnrampCredentialId, ...parameters })
  await refused(t, fixture, "RESOURCE_UNKNOWN", update)
  const remove = () => attempt("DELETE_FIAT_ON_RAMP_CREDENTIAL", { fiatOnrampCredentialId })
  await refused(t, fixture, "RESOURCE_UNKNOWN", remove)
})

t.test("a sub-organization has no credentials of its own", async (t) => {
  const fixture = await setup(t)
  const sub = await child(fixture.client, fixture.acme)
  const { attempt } = asOwner(fixture, sub)
  const parameters = await moonPayCredential(fixture.fakeFetcher)
  const attack = () => attempt("CREATE_FIAT_ON_RAMP_CREDENTIAL", parameters)
  await refused(t, fixture, "ACTIVITY_CALLER_INVALID", attack)
})
