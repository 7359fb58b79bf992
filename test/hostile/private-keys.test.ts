import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  PrivateKeyRecordSchema,
  type Record,
  RecordKind,
  RecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { signParams, type Tenant, valueOf } from "../harness/api-client.ts"
import { allRefused, asRoot, bitFlips, refused, decodesDifferently, type Fixture, setup } from "./setup.ts"

const SIGN = "SIGN_RAW_PAYLOAD_V2"

async function newKey({ client }: Fixture, acme: Tenant, privateKeyName: string) {
  const one = { privateKeyName, curve: "CURVE_SECP256K1", privateKeyTags: [] }
  const privateKeys = [{ ...one, addressFormats: ["ADDRESS_FORMAT_ETHEREUM"] }]
  const outcome = await asRoot({ client, acme }).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
  const { privateKeyId: id, addresses } = valueOf(outcome, "createPrivateKeysResultV2").privateKeys[0]!
  return { id, address: addresses[0]!.address, bytes: client.records.get(id)! }
}

const read = (bytes: Uint8Array): Record => fromBinary(RecordSchema, bytes)

function renamed(bytes: Uint8Array, name: string): Uint8Array {
  const key = { ...fromBinary(PrivateKeyRecordSchema, read(bytes).payload), name }
  return toBinary(RecordSchema, { ...read(bytes), payload: toBinary(PrivateKeyRecordSchema, key) })
}

t.test("A2: refuses a private key's record with a bit flipped, at every byte", async (t) => {
  const fixture = await setup(t)
  const { id, bytes } = await newKey(fixture, fixture.acme, "one")
  const sign = asRoot(fixture).order(SIGN, signParams(id))
  const altered = decodesDifferently(RecordSchema, bytes, bitFlips(bytes))
  await allRefused(t, fixture, "RECORD_FORGED", altered, (record) => sign(record))
  t.match(await sign(bytes), { is: "outcome" })
})

t.test(
  "A2: refuses a private key's record that the API tier renamed, exported or made of another",
  async (t) => {
    const fixture = await setup(t)
    const one = await newKey(fixture, fixture.acme, "one")
    const two = await newKey(fixture, fixture.acme, "two")
    const sign = asRoot(fixture).order(SIGN, signParams(one.address))
    const remove = asRoot(fixture).order("DELETE_PRIVATE_KEYS", { privateKeyIds: [one.id] })
    const key = fromBinary(PrivateKeyRecordSchema, read(one.bytes).payload)
    const exported = toBinary(PrivateKeyRecordSchema, { ...key, exported: true })
    const made = [
      renamed(one.bytes, "another name"),
      toBinary(RecordSchema, { ...read(one.bytes), payload: exported }),
      toBinary(RecordSchema, { ...read(one.bytes), sealed: read(two.bytes).sealed }),
      toBinary(RecordSchema, { ...read(one.bytes), payload: read(two.bytes).payload }),
      toBinary(RecordSchema, { ...read(two.bytes), id: one.id }),
      toBinary(RecordSchema, { ...read(one.bytes), kind: RecordKind.WALLET }),
    ]
    for (const attempt of [sign, remove]) {
      await allRefused(t, fixture, "RECORD_FORGED", made, (record) => attempt(record))
      await refused(t, fixture, "CONTEXT_MISSING", () => attempt(two.bytes), "another key's record")
    }
    await refused(t, fixture, "PRIVATE_KEY_NOT_EXPORTED", () => remove(one.bytes), "as it stands")
    t.match(await sign(one.bytes), { is: "outcome" })
  },
)

t.test("A2: refuses private keys of another organization", async (t) => {
  const fixture = await setup(t)
  const other = await fixture.client.createOrganization("Other")
  const theirs = await newKey(fixture, other, "one")
  const ours = await newKey(fixture, fixture.acme, "one")
  const { order } = asRoot(fixture)
  for (const signWith of [theirs.id, theirs.address])
    await refused(t, fixture, "SIGN_WITH_UNKNOWN", () => order(SIGN, signParams(signWith))(theirs.bytes))
  const sign = order(SIGN, signParams(ours.id))
  await refused(t, fixture, "RECORD_OF_ANOTHER_ORGANIZATION", () => sign(theirs.bytes))
  const remove = { privateKeyIds: [theirs.id], deleteWithoutExport: true }
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => order("DELETE_PRIVATE_KEYS", remove)(theirs.bytes))
  t.match(await sign(ours.bytes), { is: "outcome" })
})

t.test("A2: no record restores a deleted private key, after a restart of all but the ledger", async (t) => {
  const fixture = await setup(t)
  const { boundary } = fixture
  const { submit, order } = asRoot(fixture)
  const { id, address, bytes } = await newKey(fixture, fixture.acme, "one")
  const byId = order(SIGN, signParams(id))
  t.match(await byId(bytes), { is: "outcome" }, "its key lies in memory")
  await submit("DELETE_PRIVATE_KEYS", { privateKeyIds: [id], deleteWithoutExport: true })
  const byAddress = order(SIGN, signParams(address))
  const tombstone = fixture.client.records.get(id)!
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    for (const record of [bytes, tombstone]) {
      await refused(t, fixture, "RECORD_DELETED", () => byId(record))
      await refused(t, fixture, "SIGN_WITH_UNKNOWN", () => byAddress(record))
    }
  }
  const twin = await newKey(fixture, fixture.acme, "one")
  t.not(twin.address, address)
  await refused(t, fixture, "RECORD_DELETED", () => byId(bytes), "also when its name is taken again")
})

t.test("A1: an older document does not restore a tag removed from a private key", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { submit } = asRoot(fixture)
  const { id } = await newKey(fixture, acme, "one")
  const tag = { privateKeyTagName: "hot", privateKeyIds: [id] }
  const made = await submit("CREATE_PRIVATE_KEY_TAG", tag)
  const { privateKeyTagId } = valueOf(made, "createPrivateKeyTagResult")
  const old = client.documents.get(acme.organizationId)!
  const change = { privateKeyTagId, addPrivateKeyIds: [], removePrivateKeyIds: [id] }
  await submit("UPDATE_PRIVATE_KEY_TAG", change)
  const current = client.documents.get(acme.organizationId)!
  const remove = asRoot(fixture).order("DELETE_PRIVATE_KEY_TAGS", { privateKeyTagIds: [privateKeyTagId] })
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    client.documents.set(acme.organizationId, old)
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => remove())
  }
  client.documents.set(acme.organizationId, current)
  const answer = await remove()
  const outcome = answer.is === "outcome" ? answer.outcome : undefined
  t.same(valueOf(outcome!, "deletePrivateKeyTagsResult").privateKeyIds, [], "nothing carries it")
})
