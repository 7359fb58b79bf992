// Private keys and their tags.
import { signParams } from "../../harness/api-client.ts"
import type { Json } from "../../harness/system.ts"
import { transactionParams } from "../../harness/transactions.ts"
import type { Sequence } from "./sequence.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

export const keys: Sequence = {
  title: "private keys and their tags have the documented shape:",
  run: async (t, { submit, query, refused }) => {
    const key = (privateKeyName: string, privateKeyTags: unknown[] = []) => ({
      privateKeyName,
      curve: "CURVE_SECP256K1",
      privateKeyTags,
      addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_UNCOMPRESSED"],
    })
    const tag = await submit("CREATE_PRIVATE_KEY_TAG", {
      privateKeyTagName: "hot",
      privateKeyIds: [],
    })
    const tagId = String(tag["privateKeyTagId"])
    const first = await submit("CREATE_PRIVATE_KEYS", { privateKeys: [key("first")] })
    const [firstId] = first["privateKeyIds"] as string[]
    const privateKeys = [key("second", [tagId])]
    const second = await submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
    const [made] = second["privateKeys"] as { privateKeyId: string; addresses: { address: string }[] }[]
    const secondId = made?.privateKeyId
    for (const signWith of [secondId, made?.addresses[0]?.address])
      await submit("SIGN_RAW_PAYLOAD_V2", signParams(String(signWith)))
    // The first versions name a private key, and no address.
    const { signWith: _, ...payload } = signParams("")
    await submit("SIGN_RAW_PAYLOAD", { ...payload, privateKeyId: secondId })
    const { signWith: _none, ...transaction } = transactionParams("")
    await submit("SIGN_TRANSACTION", { ...transaction, privateKeyId: secondId })
    await submit("UPDATE_PRIVATE_KEY_TAG", {
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
    await refused("DELETE_PRIVATE_KEYS", { privateKeyIds: [firstId] }, [400, 3])
    await submit("DELETE_PRIVATE_KEYS", removal)
    for (const privateKeyId of [firstId, NIL]) await refused("get_private_key", { privateKeyId }, [404, 5])
    t.equal(((await query("list_private_keys"))["privateKeys"] as Json[]).length, 1)
    const gone = { privateKeyTagIds: [tagId] }
    const answer = await submit("DELETE_PRIVATE_KEY_TAGS", gone)
    t.same(answer, { privateKeyTagIds: [tagId], privateKeyIds: [] })
    t.same(await query("list_private_key_tags"), { privateKeyTags: [] })
  },
}
