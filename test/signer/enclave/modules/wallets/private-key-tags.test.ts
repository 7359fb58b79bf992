import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { asRoot, refused, type Fixture, setup } from "../../../../hostile/setup.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

let named = 0

async function keys({ client, acme }: Fixture, tagIds: string[][]): Promise<string[]> {
  const privateKeys = tagIds.map((privateKeyTags) => ({
    privateKeyName: `key ${++named}`,
    curve: "CURVE_ED25519",
    privateKeyTags,
    addressFormats: [],
  }))
  const outcome = await asRoot({ client, acme }).submit("CREATE_PRIVATE_KEYS", { privateKeys })
  return [...valueOf(outcome, "createPrivateKeysResult").privateKeyIds]
}

async function tag(fixture: Fixture, privateKeyTagName: string, ...privateKeyIds: string[]): Promise<string> {
  const parameters = { privateKeyTagName, privateKeyIds }
  const outcome = await asRoot(fixture).submit("CREATE_PRIVATE_KEY_TAG", parameters)
  return valueOf(outcome, "createPrivateKeyTagResult").privateKeyTagId
}

/** Names of the tags and the keys that carry them, as the stored document has them. */
function tagsOf({ client, acme }: Fixture): { [name: string]: string[] } {
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(acme.organizationId)!)
  const { tags } = fromBinary(OrganizationDocumentSchema, document)
  return Object.fromEntries(tags.map(({ name, privateKeyIds }) => [name, [...privateKeyIds]]))
}

t.test("private keys are tagged when they are created, when the tag is created, and later", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  const [plain] = await keys(fixture, [[]])
  const cold = await tag(fixture, "cold", plain!.toUpperCase(), plain!)
  const hot = await tag(fixture, "hot")
  const [both, none] = await keys(fixture, [[cold.toUpperCase(), hot, hot], []])
  t.same(tagsOf(fixture), { cold: [plain, both], hot: [both] })
  const change = { newPrivateKeyTagName: "frozen", addPrivateKeyIds: [none], removePrivateKeyIds: [plain] }
  const done = await submit("UPDATE_PRIVATE_KEY_TAG", { privateKeyTagId: cold.toUpperCase(), ...change })
  t.equal(valueOf(done, "updatePrivateKeyTagResult").privateKeyTagId, cold)
  t.same(tagsOf(fixture), { frozen: [both, none], hot: [both] })
  await submit("DELETE_PRIVATE_KEYS", { privateKeyIds: [both], deleteWithoutExport: true })
  t.same(tagsOf(fixture), { frozen: [none], hot: [] }, "who is deleted carries nothing")
  const gone = await submit("DELETE_PRIVATE_KEY_TAGS", { privateKeyTagIds: [hot, cold] })
  t.match(valueOf(gone, "deletePrivateKeyTagsResult"), {
    privateKeyTagIds: [hot, cold],
    privateKeyIds: [none],
  })
  t.same(tagsOf(fixture), {})
})

t.test("create_private_key_tag refuses taken names, unknown keys and deleted keys", async (t) => {
  const fixture = await setup(t)
  const { submit, attempt } = asRoot(fixture)
  const [doomed, kept] = await keys(fixture, [[], []])
  await submit("DELETE_PRIVATE_KEYS", { privateKeyIds: [doomed], deleteWithoutExport: true })
  await tag(fixture, "taken")
  const create = (privateKeyTagName: string, ...privateKeyIds: unknown[]) =>
    attempt("CREATE_PRIVATE_KEY_TAG", { privateKeyTagName, privateKeyIds })
  await refused(t, fixture, "NAME_TAKEN", () => create("taken"))
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => create("new", kept, NIL))
  t.match(await create("new", kept, NIL), { field: "parameters.privateKeyIds[1]" })
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => create("new", fixture.walletId), "a wallet is no key")
  await refused(t, fixture, "RECORD_DELETED", () => create("new", doomed))
  await refused(t, fixture, "REQUEST_INVALID", () => create(""))
  await refused(t, fixture, "REQUEST_INVALID", () => create("new", "no id"))
})

t.test("update_private_key_tag refuses contradicting parameters", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const [key] = await keys(fixture, [[]])
  const mine = await tag(fixture, "mine", key!)
  await tag(fixture, "other")
  const update = (privateKeyTagId: string, change: object) =>
    attempt("UPDATE_PRIVATE_KEY_TAG", {
      privateKeyTagId,
      addPrivateKeyIds: [],
      removePrivateKeyIds: [],
      ...change,
    })
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => update(NIL, {}))
  await refused(t, fixture, "NAME_TAKEN", () => update(mine, { newPrivateKeyTagName: "other" }))
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => update(mine, { addPrivateKeyIds: [NIL] }))
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => update(mine, { removePrivateKeyIds: [NIL] }))
  const both = { addPrivateKeyIds: [key], removePrivateKeyIds: [key] }
  await refused(t, fixture, "REQUEST_INVALID", () => update(mine, both))
  await refused(t, fixture, "REQUEST_INVALID", () => update(mine, { newPrivateKeyTagName: "" }))
  t.match(await update(mine, { newPrivateKeyTagName: "mine" }), { is: "outcome" }, "its own name")
})

t.test("tags are on private keys 10,000 times at most", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const many = await keys(
    fixture,
    Array.from({ length: 1000 }, () => []),
  )
  for (let index = 0; index < 10; index++) await tag(fixture, `tag ${index}`, ...many)
  const create = (...privateKeyIds: unknown[]) =>
    attempt("CREATE_PRIVATE_KEY_TAG", { privateKeyTagName: "full", privateKeyIds })
  await refused(t, fixture, "LIMIT_EXCEEDED", () => create(many[0]))
  t.match(await create(), { is: "outcome" })
})

t.test("delete_private_key_tags refuses unknown tags, and deletes all or none", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const mine = await tag(fixture, "mine")
  const remove = (...privateKeyTagIds: string[]) => attempt("DELETE_PRIVATE_KEY_TAGS", { privateKeyTagIds })
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => remove(mine, NIL))
  await refused(t, fixture, "REQUEST_INVALID", () => remove())
  t.match(await remove(mine), { is: "outcome" })
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => remove(mine))
})
