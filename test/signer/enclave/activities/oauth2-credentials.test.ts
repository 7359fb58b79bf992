import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { Oauth2Provider } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  Oauth2CredentialRecordSchema,
  RecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { asRoot, refused, type Stage, stage } from "../../../hostile/stage.ts"
import { type Tenant, valueOf } from "../../../harness/api-seat.ts"

const STRANGER = "00000000-0000-4000-8000-000000000000"

async function credential({ outside }: Stage, clientId = "app", changes: object = {}) {
  const encryptedClientSecret = await outside.sealClientSecret("top secret")
  return { provider: "OAUTH2_PROVIDER_X", clientId, encryptedClientSecret, ...changes }
}

function asOwner(scene: Stage, acme: Tenant = scene.acme) {
  const { submit, attempt } = asRoot({ seat: scene.seat, acme })
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

function stored({ seat }: Stage, id: string) {
  return fromBinary(Oauth2CredentialRecordSchema, fromBinary(RecordSchema, seat.records.get(id)!).payload)
}

t.test("a credential is kept with its secret as it was submitted", async (t) => {
  const scene = await stage(t)
  const { create, update, remove } = asOwner(scene)
  const parameters = await credential(scene)
  const oauth2CredentialId = await create(parameters)
  const { provider: _, ...asSubmitted } = parameters
  t.match(stored(scene, oauth2CredentialId), { provider: Oauth2Provider.X, ...asSubmitted })
  const createdAtMs = stored(scene, oauth2CredentialId).createdAtMs
  const next = await credential(scene, "other", { provider: "OAUTH2_PROVIDER_DISCORD" })
  const outcome = await update({ oauth2CredentialId, ...next })
  t.match(valueOf(outcome, "updateOauth2CredentialResult"), { oauth2CredentialId })
  t.match(stored(scene, oauth2CredentialId), {
    provider: Oauth2Provider.DISCORD,
    clientId: "other",
    encryptedClientSecret: next.encryptedClientSecret,
    createdAtMs,
  })
  t.ok(stored(scene, oauth2CredentialId).updatedAtMs > createdAtMs)
  const deleted = await remove(oauth2CredentialId)
  t.match(valueOf(deleted, "deleteOauth2CredentialResult"), { oauth2CredentialId })
  t.ok(fromBinary(RecordSchema, scene.seat.records.get(oauth2CredentialId)!).deleted)
})

t.test("a secret that the fetcher cannot open is refused", async (t) => {
  const scene = await stage(t)
  const { create, attempt } = asOwner(scene)
  const good = await credential(scene)
  const { encryptedClientSecret: hex } = good
  const faulty: [what: string, encryptedClientSecret: string][] = [
    ["altered", `${hex.slice(0, -2)}${hex.endsWith("00") ? "01" : "00"}`],
    ["cut off", hex.slice(0, -2)],
    ["with something after it", `${hex}00`],
    ["of nothing", await scene.outside.sealClientSecret("")],
    ["no secret at all", "00"],
  ]
  for (const [what, encryptedClientSecret] of faulty) {
    const parameters = { ...good, encryptedClientSecret }
    const attack = () => attempt("CREATE_OAUTH2_CREDENTIAL", parameters)
    await refused(t, scene, "CLIENT_SECRET_INVALID", attack, what)
  }
  const id = await create(good)
  const spoiled = () =>
    attempt("UPDATE_OAUTH2_CREDENTIAL", {
      oauth2CredentialId: id,
      ...good,
      encryptedClientSecret: `${hex}00`,
    })
  await refused(t, scene, "CLIENT_SECRET_INVALID", spoiled, "in an update")
  for (const odd of ["", "xyz", "abc", "00".repeat(8193)]) {
    const parameters = { ...good, clientId: "odd", encryptedClientSecret: odd }
    const attack = () => attempt("CREATE_OAUTH2_CREDENTIAL", parameters)
    await refused(t, scene, "REQUEST_INVALID", attack, `no hexadecimal, or too long: ${odd.slice(0, 4)}`)
  }
})

t.test("F10: a sealed secret belongs to the organization that registered it first, for good", async (t) => {
  const scene = await stage(t)
  const { seat, boundary } = scene
  const parameters = await credential(scene)
  const acme = asOwner(scene)
  const id = await acme.create(parameters)
  const thief = asOwner(scene, await seat.tenant("Thief"))
  const { encryptedClientSecret } = parameters
  const spellings = [encryptedClientSecret, encryptedClientSecret.toUpperCase()]
  for (const spelling of spellings) {
    const stolen = { ...parameters, clientId: "mine", encryptedClientSecret: spelling }
    const attack = () => thief.attempt("CREATE_OAUTH2_CREDENTIAL", stolen)
    await refused(t, scene, "CLIENT_SECRET_INVALID", attack, "copied by another organization")
  }
  const own = await thief.create(await credential(scene, "mine"))
  const stolen = { oauth2CredentialId: own, ...parameters }
  const update = () => thief.attempt("UPDATE_OAUTH2_CREDENTIAL", stolen)
  await refused(t, scene, "CLIENT_SECRET_INVALID", update, "in an update")
  await acme.remove(id)
  await boundary.restart()
  scene.outside.obey(boundary)
  const later = () => thief.attempt("CREATE_OAUTH2_CREDENTIAL", { ...parameters, clientId: "late" })
  await refused(t, scene, "CLIENT_SECRET_INVALID", later, "when its owner has deleted it, after a restart")
  t.ok(await acme.create(parameters), "its owner may use it again")
})

t.test("of one provider and client there is one in an organization", async (t) => {
  const scene = await stage(t)
  const { create, update, remove, attempt } = asOwner(scene)
  const id = await create(await credential(scene))
  const twin = await credential(scene)
  await refused(t, scene, "NAME_TAKEN", () => attempt("CREATE_OAUTH2_CREDENTIAL", twin))
  const discord = await create(await credential(scene, "app", { provider: "OAUTH2_PROVIDER_DISCORD" }))
  const clash = { oauth2CredentialId: discord, ...(await credential(scene)) }
  await refused(t, scene, "NAME_TAKEN", () => attempt("UPDATE_OAUTH2_CREDENTIAL", clash))
  await update({ oauth2CredentialId: id, ...(await credential(scene)) })
  await update({ oauth2CredentialId: id, ...(await credential(scene, "renamed")) })
  const freed = await create(await credential(scene))
  await remove(freed)
  t.ok(await create(await credential(scene)))
  const globex = asOwner(scene, await scene.seat.tenant("Globex"))
  t.ok(await globex.create(await credential(scene)), "another organization has names of its own")
})

t.test("what is not there is neither changed nor deleted", async (t) => {
  const scene = await stage(t)
  const { create, remove, attempt } = asOwner(scene)
  const parameters = await credential(scene)
  const update = (oauth2CredentialId: string) => () =>
    attempt("UPDATE_OAUTH2_CREDENTIAL", { oauth2CredentialId, ...parameters })
  const del = (oauth2CredentialId: string) => () =>
    attempt("DELETE_OAUTH2_CREDENTIAL", { oauth2CredentialId })
  for (const id of [STRANGER, scene.walletId]) {
    await refused(t, scene, "RESOURCE_UNKNOWN", update(id))
    await refused(t, scene, "RESOURCE_UNKNOWN", del(id))
  }
  const id = await create(parameters)
  await remove(id)
  await refused(t, scene, "RECORD_DELETED", update(id))
  await refused(t, scene, "RECORD_DELETED", del(id))
  const globex = asOwner(scene, await scene.seat.tenant("Globex"))
  const foreign = await globex.create(await credential(scene))
  await refused(t, scene, "RESOURCE_UNKNOWN", del(foreign))
})

t.test("only the root quorum registers clients", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const alice = await seat.user(acme, "alice")
  const parameters = await credential(scene)
  const type = "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL"
  t.equal(await seat.refused(alice.key, type, acme.organizationId, parameters), "PERMISSION_DENIED")
})
