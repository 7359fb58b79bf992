import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { Oauth2Provider } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  Oauth2CredentialRecordSchema,
  RecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { asRoot, refused, type Fixture, setup } from "../../../../hostile/setup.ts"
import { type Tenant, valueOf } from "../../../../harness/api-client.ts"

const STRANGER = "00000000-0000-4000-8000-000000000000"

async function credential({ fakeFetcher }: Fixture, clientId = "app", changes: object = {}) {
  const encryptedClientSecret = await fakeFetcher.sealClientSecret("top secret")
  return { provider: "OAUTH2_PROVIDER_X", clientId, encryptedClientSecret, ...changes }
}

function asOwner(fixture: Fixture, acme: Tenant = fixture.acme) {
  const { submit, attempt } = asRoot({ client: fixture.client, acme })
  return {
    attempt,
    async create(parameters: object): Promise<string> {
      const outcome = await submit("CREATE_OAUTH2_CREDENTIAL", parameters)
      return valueOf(outcome, "createOauth2CredentialResult").oauth2CredentialId
    },
    update: (parameters: object) => submit("UPDATE_OAUTH2_CREDENTIAL", parameters),
    remove: (oauth2CredentialId: string) => submit("DELETE_OAUTH2_CREDENTIAL", { oauth2CredentialId }),
  }
}

function stored({ client }: Fixture, id: string) {
  return fromBinary(Oauth2CredentialRecordSchema, fromBinary(RecordSchema, client.records.get(id)!).payload)
}

t.test("an OAuth 2.0 credential is stored with its secret as submitted", async (t) => {
  const fixture = await setup(t)
  const { create, update, remove } = asOwner(fixture)
  const parameters = await credential(fixture)
  const oauth2CredentialId = await create(parameters)
  const { provider: _, ...asSubmitted } = parameters
  t.match(stored(fixture, oauth2CredentialId), { provider: Oauth2Provider.X, ...asSubmitted })
  const createdAtMs = stored(fixture, oauth2CredentialId).createdAtMs
  const next = await credential(fixture, "other", { provider: "OAUTH2_PROVIDER_DISCORD" })
  const outcome = await update({ oauth2CredentialId, ...next })
  t.match(valueOf(outcome, "updateOauth2CredentialResult"), { oauth2CredentialId })
  t.match(stored(fixture, oauth2CredentialId), {
    provider: Oauth2Provider.DISCORD,
    clientId: "other",
    encryptedClientSecret: next.encryptedClientSecret,
    createdAtMs,
  })
  t.ok(stored(fixture, oauth2CredentialId).updatedAtMs > createdAtMs)
  const deleted = await remove(oauth2CredentialId)
  t.match(valueOf(deleted, "deleteOauth2CredentialResult"), { oauth2CredentialId })
  t.ok(fromBinary(RecordSchema, fixture.client.records.get(oauth2CredentialId)!).deleted)
})

t.test("a client secret that the fetcher cannot open is refused", async (t) => {
  const fixture = await setup(t)
  const { create, attempt } = asOwner(fixture)
  const good = await credential(fixture)
  const { encryptedClientSecret: hex } = good
  const faulty: [what: string, encryptedClientSecret: string][] = [
    ["altered", `${hex.slice(0, -2)}${hex.endsWith("00") ? "01" : "00"}`],
    ["cut off", hex.slice(0, -2)],
    ["with something after it", `${hex}00`],
    ["of nothing", await fixture.fakeFetcher.sealClientSecret("")],
    ["no secret at all", "00"],
  ]
  for (const [what, encryptedClientSecret] of faulty) {
    const parameters = { ...good, encryptedClientSecret }
    const attack = () => attempt("CREATE_OAUTH2_CREDENTIAL", parameters)
    await refused(t, fixture, "CLIENT_SECRET_INVALID", attack, what)
  }
  const id = await create(good)
  const spoiled = () =>
    attempt("UPDATE_OAUTH2_CREDENTIAL", {
      oauth2CredentialId: id,
      ...good,
      encryptedClientSecret: `${hex}00`,
    })
  await refused(t, fixture, "CLIENT_SECRET_INVALID", spoiled, "in an update")
  for (const odd of ["", "xyz", "abc", "00".repeat(8193)]) {
    const parameters = { ...good, clientId: "odd", encryptedClientSecret: odd }
    const attack = () => attempt("CREATE_OAUTH2_CREDENTIAL", parameters)
    await refused(t, fixture, "REQUEST_INVALID", attack, `no hexadecimal, or too long: ${odd.slice(0, 4)}`)
  }
})

t.test("F10: a sealed secret belongs to the organization that registered it first, for good", async (t) => {
  const fixture = await setup(t)
  const { client, boundary } = fixture
  const parameters = await credential(fixture)
  const acme = asOwner(fixture)
  const id = await acme.create(parameters)
  const thief = asOwner(fixture, await client.createOrganization("Thief"))
  const { encryptedClientSecret } = parameters
  const spellings = [encryptedClientSecret, encryptedClientSecret.toUpperCase()]
  for (const spelling of spellings) {
    const stolen = { ...parameters, clientId: "mine", encryptedClientSecret: spelling }
    const attack = () => thief.attempt("CREATE_OAUTH2_CREDENTIAL", stolen)
    await refused(t, fixture, "CLIENT_SECRET_INVALID", attack, "copied by another organization")
  }
  const own = await thief.create(await credential(fixture, "mine"))
  const stolen = { oauth2CredentialId: own, ...parameters }
  const update = () => thief.attempt("UPDATE_OAUTH2_CREDENTIAL", stolen)
  await refused(t, fixture, "CLIENT_SECRET_INVALID", update, "in an update")
  await acme.remove(id)
  await boundary.restart()
  fixture.fakeFetcher.obey(boundary)
  const later = () => thief.attempt("CREATE_OAUTH2_CREDENTIAL", { ...parameters, clientId: "late" })
  await refused(t, fixture, "CLIENT_SECRET_INVALID", later, "when its owner has deleted it, after a restart")
  t.ok(await acme.create(parameters), "its owner may use it again")
})

t.test("an organization has one credential of each provider and client", async (t) => {
  const fixture = await setup(t)
  const { create, update, remove, attempt } = asOwner(fixture)
  const id = await create(await credential(fixture))
  const twin = await credential(fixture)
  await refused(t, fixture, "NAME_TAKEN", () => attempt("CREATE_OAUTH2_CREDENTIAL", twin))
  const discord = await create(await credential(fixture, "app", { provider: "OAUTH2_PROVIDER_DISCORD" }))
  const clash = { oauth2CredentialId: discord, ...(await credential(fixture)) }
  await refused(t, fixture, "NAME_TAKEN", () => attempt("UPDATE_OAUTH2_CREDENTIAL", clash))
  await update({ oauth2CredentialId: id, ...(await credential(fixture)) })
  await update({ oauth2CredentialId: id, ...(await credential(fixture, "renamed")) })
  const freed = await create(await credential(fixture))
  await remove(freed)
  t.ok(await create(await credential(fixture)))
  const globex = asOwner(fixture, await fixture.client.createOrganization("Globex"))
  t.ok(await globex.create(await credential(fixture)), "another organization has names of its own")
})

t.test("unknown credentials are neither changed nor deleted", async (t) => {
  const fixture = await setup(t)
  const { create, remove, attempt } = asOwner(fixture)
  const parameters = await credential(fixture)
  const update = (oauth2CredentialId: string) => () =>
    attempt("UPDATE_OAUTH2_CREDENTIAL", { oauth2CredentialId, ...parameters })
  const del = (oauth2CredentialId: string) => () =>
    attempt("DELETE_OAUTH2_CREDENTIAL", { oauth2CredentialId })
  for (const id of [STRANGER, fixture.walletId]) {
    await refused(t, fixture, "RESOURCE_UNKNOWN", update(id))
    await refused(t, fixture, "RESOURCE_UNKNOWN", del(id))
  }
  const id = await create(parameters)
  await remove(id)
  await refused(t, fixture, "RECORD_DELETED", update(id))
  await refused(t, fixture, "RECORD_DELETED", del(id))
  const globex = asOwner(fixture, await fixture.client.createOrganization("Globex"))
  const foreign = await globex.create(await credential(fixture))
  await refused(t, fixture, "RESOURCE_UNKNOWN", del(foreign))
})

t.test("only the root quorum registers clients", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const alice = await client.user(acme, "alice")
  const parameters = await credential(fixture)
  const type = "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL"
  t.equal(await client.refused(alice.key, type, acme.organizationId, parameters), "PERMISSION_DENIED")
})
