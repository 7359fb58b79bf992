// Operations on private keys and their tags, asked for over HTTP, against the tables that were written by hand.
import t from "tap"
import { requireError, requireQueryReply, requireResult } from "../contract/replies.ts"
import { signParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import type { Json } from "../harness/system.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

t.test("private keys and their tags have the documented shape:", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root } = await system.createOrganization()

  const submit = async (path: string, type: string, parameters: object): Promise<Json> => {
    const { json } = await system.post(`submit/${path}`, system.body(type, organizationId, parameters), root)
    return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
  }
  const query = async (path: string, parameters: object = {}): Promise<Json> => {
    const { status, json } = await system.query(path, { organizationId, ...parameters }, root)
    t.equal(status, 200, `${path} answers`)
    return requireQueryReply(path, json)
  }

  const key = (privateKeyName: string, privateKeyTags: unknown[] = []) => ({
    privateKeyName,
    curve: "CURVE_SECP256K1",
    privateKeyTags,
    addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_UNCOMPRESSED"],
  })
  const tag = await submit("create_private_key_tag", "CREATE_PRIVATE_KEY_TAG", {
    privateKeyTagName: "hot",
    privateKeyIds: [],
  })
  const tagId = String(tag["privateKeyTagId"])
  const first = await submit("create_private_keys", "CREATE_PRIVATE_KEYS", { privateKeys: [key("first")] })
  const [firstId] = first["privateKeyIds"] as string[]
  const privateKeys = [key("second", [tagId])]
  const second = await submit("create_private_keys", "CREATE_PRIVATE_KEYS_V2", { privateKeys })
  const [made] = second["privateKeys"] as { privateKeyId: string; addresses: { address: string }[] }[]
  const secondId = made?.privateKeyId
  for (const signWith of [secondId, made?.addresses[0]?.address])
    await submit("sign_raw_payload", "SIGN_RAW_PAYLOAD_V2", signParams(String(signWith)))
  await submit("update_private_key_tag", "UPDATE_PRIVATE_KEY_TAG", {
    privateKeyTagId: tagId,
    newPrivateKeyTagName: "warm",
    addPrivateKeyIds: [firstId],
    removePrivateKeyIds: [secondId],
  })

  const one = await query("get_private_key", { privateKeyId: firstId?.toUpperCase() })
  t.match(one["privateKey"], { privateKeyName: "first", privateKeyTags: [tagId], exported: false })
  t.match((one["privateKey"] as Json)["publicKey"], /^04[0-9a-f]{128}$/)
  const all = await query("list_private_keys")
  t.match(all["privateKeys"], [{ privateKeyId: firstId }, { privateKeyId: secondId, privateKeyTags: [] }])
  t.match(await query("list_private_key_tags"), { privateKeyTags: [{ tagId, tagName: "warm" }] })
  const { organizationData } = await query("get_organization")
  t.match(organizationData, {
    privateKeys: [{ privateKeyName: "first" }, { privateKeyName: "second" }],
    tags: [{ tagName: "warm", tagType: "TAG_TYPE_PRIVATE_KEY" }],
  })

  const removal = { privateKeyIds: [firstId], deleteWithoutExport: true }
  const body = system.body("DELETE_PRIVATE_KEYS", organizationId, { privateKeyIds: [firstId] })
  const refused = await system.post("submit/delete_private_keys", body, root)
  t.equal(refused.status, 400)
  requireError(refused.json, 3)
  await submit("delete_private_keys", "DELETE_PRIVATE_KEYS", removal)
  for (const privateKeyId of [firstId, NIL]) {
    const { status, json } = await system.query("get_private_key", { organizationId, privateKeyId }, root)
    t.equal(status, 404)
    requireError(json, 5)
  }
  t.equal(((await query("list_private_keys"))["privateKeys"] as Json[]).length, 1)
  const gone = { privateKeyTagIds: [tagId] }
  const answer = await submit("delete_private_key_tags", "DELETE_PRIVATE_KEY_TAGS", gone)
  t.same(answer, { privateKeyTagIds: [tagId], privateKeyIds: [] })
  t.same(await query("list_private_key_tags"), { privateKeyTags: [] })
})
