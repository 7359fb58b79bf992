import { createHash } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import { ed25519 } from "@noble/curves/ed25519.js"
import { p256 } from "@noble/curves/nist.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { base58 } from "@scure/base"
import t from "tap"
import { publicKeyToAddress } from "viem/accounts"
import {
  PrivateKeyRecordSchema,
  RecordKind,
  RecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { asRoot, exportOnce, refused, type Fixture, setup } from "../../../../hostile/setup.ts"

const NIL = "00000000-0000-4000-8000-000000000000"
const MESSAGE = "signed by a key that stands alone"

function privateKey(privateKeyName: string, curve = "SECP256K1", ...formats: string[]) {
  const addressFormats = formats.map((format) => `ADDRESS_FORMAT_${format}`)
  return { privateKeyName, curve: `CURVE_${curve}`, privateKeyTags: [], addressFormats }
}

async function create({ client, acme }: Fixture, ...privateKeys: object[]) {
  const outcome = await asRoot({ client, acme }).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
  return valueOf(outcome, "createPrivateKeysResultV2").privateKeys.map(({ privateKeyId, addresses }) => ({
    id: privateKeyId,
    addresses: addresses.map(({ address }) => address),
  }))
}

function signParams(signWith: string, hashFunction = "SHA256") {
  const encoding = "PAYLOAD_ENCODING_TEXT_UTF8"
  return { signWith, payload: MESSAGE, encoding, hashFunction: `HASH_FUNCTION_${hashFunction}` }
}

async function sign(fixture: Fixture, signWith: string, hashFunction?: string): Promise<Uint8Array> {
  const outcome = await asRoot(fixture).submit("SIGN_RAW_PAYLOAD_V2", signParams(signWith, hashFunction))
  const { r, s } = valueOf(outcome, "signRawPayloadResult")
  return Buffer.from(r + s, "hex")
}

function stored({ client }: Fixture, id: string) {
  const record = fromBinary(RecordSchema, client.records.get(id)!)
  return { record, key: fromBinary(PrivateKeyRecordSchema, record.payload) }
}

const digest = createHash("sha256").update(MESSAGE).digest()
const bytesOf = (hexDigits: string) => Uint8Array.from(Buffer.from(hexDigits, "hex"))

t.test("create_private_keys creates keys of every curve with their addresses, which sign", async (t) => {
  const fixture = await setup(t)
  const [k1, ed, p] = await create(
    fixture,
    privateKey("bitcoin's", "SECP256K1", "ETHEREUM", "COMPRESSED", "UNCOMPRESSED"),
    privateKey("solana's", "ED25519", "SOLANA", "COMPRESSED"),
    privateKey("nist's", "P256", "UNCOMPRESSED"),
  )
  await fixture.boundary.restart()

  const k1Key = stored(fixture, k1!.id).key
  t.match(k1Key, { name: "bitcoin's", imported: false, exported: false, publicKey: /^04[0-9a-f]{128}$/ })
  const compressed = secp256k1.Point.fromHex(k1Key.publicKey).toHex(true)
  t.same(k1!.addresses, [publicKeyToAddress(`0x${k1Key.publicKey}`), compressed, k1Key.publicKey])
  for (const signWith of [k1!.id, k1!.id.toUpperCase(), ...k1!.addresses, k1!.addresses[0]!.toLowerCase()]) {
    const signature = await sign(fixture, signWith)
    t.ok(secp256k1.verify(signature, digest, bytesOf(k1Key.publicKey), { prehash: false }), signWith)
  }

  const edKey = stored(fixture, ed!.id).key
  t.match(edKey.publicKey, /^[0-9a-f]{64}$/)
  t.same(ed!.addresses, [base58.encode(bytesOf(edKey.publicKey)), edKey.publicKey])
  const edSignature = await sign(fixture, ed!.addresses[0]!, "NOT_APPLICABLE")
  t.ok(ed25519.verify(edSignature, Buffer.from(MESSAGE), bytesOf(edKey.publicKey)))

  const pKey = stored(fixture, p!.id).key
  t.same(p!.addresses, [pKey.publicKey])
  t.ok(p256.verify(await sign(fixture, p!.id), digest, bytesOf(pKey.publicKey), { prehash: false }))
})

t.test("create_private_keys returns only ids in its first version, where signing takes the id", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  const privateKeys = [privateKey("one"), privateKey("two")]
  const done = await submit("CREATE_PRIVATE_KEYS", { privateKeys })
  const { privateKeyIds } = valueOf(done, "createPrivateKeysResult")
  t.equal(privateKeyIds.length, 2)
  t.equal(stored(fixture, privateKeyIds[1]!).key.name, "two")
  const { signWith, ...parameters } = signParams(privateKeyIds[0]!)
  const signed = await submit("SIGN_RAW_PAYLOAD", { privateKeyId: signWith, ...parameters })
  t.ok(valueOf(signed, "signRawPayloadResult").r)
})

t.test("private keys differ, and their secrets are sealed", async (t) => {
  const fixture = await setup(t)
  const keys = await create(fixture, ...Array.from({ length: 20 }, (_, index) => privateKey(`key ${index}`)))
  const publicKeys = keys.map(({ id }) => stored(fixture, id).key.publicKey)
  t.equal(new Set(publicKeys).size, 20)
  for (const { id } of keys) t.equal(stored(fixture, id).record.sealed.length, 1 + 4 + 24 + 32 + 16)
})

t.test("create_private_keys refuses the whole list for one fault", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  await create(fixture, privateKey("taken"))
  const good = privateKey("good", "SECP256K1", "ETHEREUM")
  const at = "parameters.privateKeys[1]"
  for (const [code, bad, field] of [
    ["NAME_TAKEN", privateKey("taken"), `${at}.privateKeyName`],
    ["NAME_TAKEN", privateKey("good"), `${at}.privateKeyName`],
    ["ADDRESS_FORMAT_INVALID", privateKey("a", "SECP256K1", "SOLANA"), `${at}.addressFormats[0]`],
    [
      "ADDRESS_FORMAT_INVALID",
      privateKey("a", "ED25519", "COMPRESSED", "ETHEREUM"),
      `${at}.addressFormats[1]`,
    ],
    ["ADDRESS_FORMAT_INVALID", privateKey("a", "ED25519", "SPARK_MAINNET"), `${at}.addressFormats[0]`],
    [
      "ADDRESS_FORMAT_INVALID",
      privateKey("a", "P256", "COMPRESSED", "COMPRESSED"),
      `${at}.addressFormats[1]`,
    ],
    ["RESOURCE_UNKNOWN", { ...privateKey("a"), privateKeyTags: [NIL] }, `${at}.privateKeyTags[0]`],
    ["REQUEST_INVALID", privateKey("", "P256"), `${at}.privateKeyName`],
    ["REQUEST_INVALID", privateKey("x".repeat(257), "P256"), `${at}.privateKeyName`],
    ["REQUEST_INVALID", privateKey("a", "P384"), `${at}.curve`],
    ["REQUEST_INVALID", privateKey("a", "P256", "NONE"), `${at}.addressFormats[0]`],
  ] as const) {
    const attack = () => attempt("CREATE_PRIVATE_KEYS_V2", { privateKeys: [good, bad] })
    await refused(t, fixture, code, attack, `${code} ${field}`)
    t.match(await attack(), { field })
  }
  const none = () => attempt("CREATE_PRIVATE_KEYS_V2", { privateKeys: [] })
  await refused(t, fixture, "REQUEST_INVALID", none, "none")
  const names = Array.from({ length: 1001 }, (_, index) => privateKey(`n${index}`))
  const many = () => attempt("CREATE_PRIVATE_KEYS", { privateKeys: names })
  await refused(t, fixture, "REQUEST_INVALID", many, "1,001")
})

t.test("the private keys of one request have 4,000 addresses at most", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const formats = ["ETHEREUM", "COSMOS", "TRON", "SEI"]
  const full = Array.from({ length: 1000 }, (_, at) => privateKey(`n${at}`, "SECP256K1", ...formats))
  const [first, ...others] = full
  const over = [{ ...first, addressFormats: [...first!.addressFormats, "ADDRESS_FORMAT_XRP"] }, ...others]
  const attack = () => attempt("CREATE_PRIVATE_KEYS_V2", { privateKeys: over })
  await refused(t, fixture, "LIMIT_EXCEEDED", attack, "one more")
  const made = await create(fixture, ...full)
  t.equal(made.length, 1000)
})

t.test("an organization has more than a thousand private keys", async (t) => {
  const fixture = await setup(t)
  const batch = (from: number, size: number) =>
    Array.from({ length: size }, (_, index) => privateKey(`key ${from + index}`, "ED25519"))
  for (const from of [0, 1000]) await create(fixture, ...batch(from, 1000))
  const [last] = await create(fixture, privateKey("the 2,001st", "ED25519"))
  t.ok(await sign(fixture, last!.id, "NOT_APPLICABLE"))
})

t.test("delete_private_keys deletes keys for good, and frees their names", async (t) => {
  const fixture = await setup(t)
  const { submit, attempt } = asRoot(fixture)
  const [doomed, kept] = await create(
    fixture,
    privateKey("doomed", "SECP256K1", "ETHEREUM", "COMPRESSED"),
    privateKey("kept", "SECP256K1", "ETHEREUM"),
  )
  const ways = [doomed!.id, ...doomed!.addresses]
  for (const signWith of ways) t.ok(await sign(fixture, signWith), "so that its key lies in memory")
  const ids = [doomed!.id.toUpperCase(), doomed!.id]
  const done = await submit("DELETE_PRIVATE_KEYS", { privateKeyIds: ids, deleteWithoutExport: true })
  t.same(valueOf(done, "deletePrivateKeysResult").privateKeyIds, [doomed!.id], "each once")
  const tombstone = fromBinary(RecordSchema, fixture.client.records.get(doomed!.id)!)
  t.match(tombstone, { deleted: true, version: 2n, kind: RecordKind.PRIVATE_KEY })
  t.equal(tombstone.payload.length + tombstone.sealed.length, 0)
  t.equal(done.document.length, 0, "nothing carried a tag: the document stays")
  for (const [index, signWith] of ways.entries()) {
    const code = index === 0 ? "RECORD_DELETED" : "SIGN_WITH_UNKNOWN"
    await refused(t, fixture, code, () => attempt("SIGN_RAW_PAYLOAD_V2", signParams(signWith)))
  }
  t.ok(await sign(fixture, kept!.id))
  const [again] = await create(fixture, privateKey("doomed", "SECP256K1", "ETHEREUM"))
  t.notMatch(again, doomed!)
})

t.test(
  "delete_private_keys requires an export or deleteWithoutExport, and deletes all or none",
  async (t) => {
    const fixture = await setup(t)
    const { submit, attempt } = asRoot(fixture)
    const [first, second] = await create(fixture, privateKey("first"), privateKey("second"))
    const ids = [first!.id, second!.id]
    await exportOnce(fixture, first!.id)
    const remove = (privateKeyIds: string[], word: object = {}) =>
      attempt("DELETE_PRIVATE_KEYS", { privateKeyIds, ...word })
    for (const word of [{}, { deleteWithoutExport: false }]) {
      await refused(t, fixture, "PRIVATE_KEY_NOT_EXPORTED", () => remove(ids, word))
      t.match(await remove(ids, word), { field: "parameters.privateKeyIds[1]" })
    }
    const freely = { deleteWithoutExport: true }
    await refused(t, fixture, "RESOURCE_UNKNOWN", () => remove([...ids, NIL], freely))
    await refused(
      t,
      fixture,
      "RESOURCE_UNKNOWN",
      () => remove([fixture.walletId], freely),
      "a wallet is no key",
    )
    await refused(t, fixture, "REQUEST_INVALID", () => remove([], freely))
    const done = await submit("DELETE_PRIVATE_KEYS", { privateKeyIds: [first!.id] })
    t.same(valueOf(done, "deletePrivateKeysResult").privateKeyIds, [first!.id])
    await refused(t, fixture, "RECORD_DELETED", () => remove([second!.id, first!.id], freely))
  },
)
