import { createPublicKey, verify } from "node:crypto"
import {
  decryptExportBundle,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
  generateP256KeyPair,
} from "@turnkey/crypto"
import fc from "fast-check"
import t from "tap"
import { readTargetKey, sealMessage } from "../../../../signer/enclave/bundles/message.ts"
import { openBundle, readBundle } from "../../../../signer/enclave/bundles/sealed-bundle.ts"
import { bundleWriter } from "../../../../signer/enclave/bundles/signed-bundle.ts"
import { openKeySet } from "../../../../signer/core/crypto/keyset.ts"
import { p256Point, p256PrivateKey, p256PublicKey } from "../../../../signer/core/crypto/p256.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import {
  countingRandom,
  dangerouslyRevealHex,
  dangerouslyRevealText,
  fromHex,
  refusalOf,
  secretOf,
  secretText,
  toHex,
} from "../keys/tools.ts"

type Plain = { what: string; bundle: string; text?: string; hex?: string; solana?: string }
type Own = {
  signing: { seed: string; publicKey: string }
  import: { target: string; organizationId: string; userId: string; data: string; bundles: Plain[] }
  export: {
    reader: string
    readerPublic: string
    bundles: Plain[]
    published: { reader: string; data: string; text: string }
  }
}
const own = ownVectors<Own>("bundles")
const { target, organizationId, userId } = own.import
const FIELD = "parameters.encryptedBundle"
const writer = bundleWriter(openKeySet(secretOf(own.signing.seed)))
const override = { dangerouslyOverrideSignerPublicKey: own.signing.publicKey }
const whose = { organizationId, userId }
const origin = { ...whose, secret: { walletId: "a wallet" }, nowMs: 1_700_000_000_000 }

const targetPublic = p256Point(p256PrivateKey(secretOf(target)))
const importBundle = writer.importTarget({ targetPublic, ...whose })
const revealed = (bundle: string, { hex }: Pick<Plain, "hex">) => {
  const opened = openBundle(secretOf(target), bundle, FIELD)
  return hex === undefined ? dangerouslyRevealText(opened) : dangerouslyRevealHex(opened)
}

t.test("openBundle opens bundles of published clients", async (t) => {
  for (const { what, bundle, ...plain } of own.import.bundles)
    t.equal(revealed(bundle, plain), plain.text ?? plain.hex, what)
})

t.test("a bundle that the published service sent to another client opens", async (t) => {
  const { reader, data, text } = own.export.published
  t.equal(dangerouslyRevealText(openBundle(secretOf(reader), data, FIELD)), text)
})

t.test("a published client verifies the bundle with an import key", async (t) => {
  const { version, data, dataSignature, enclaveQuorumPublic, ...more } = JSON.parse(importBundle)
  t.same(
    { version, more, enclaveQuorumPublic },
    {
      version: "v1.0.0",
      more: {},
      enclaveQuorumPublic: own.signing.publicKey,
    },
  )
  t.equal(Buffer.from(data, "hex").toString(), own.import.data, "members in their order, no blanks")
  const key = p256PublicKey(fromHex(own.signing.publicKey))!
  t.ok(verify("sha256", fromHex(data), { key, dsaEncoding: "der" }, fromHex(dataSignature)))
})

t.test("a published client seals to the import key, for its user alone", async (t) => {
  const mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow"
  const wallet = await encryptWalletToBundle({ mnemonic, importBundle, ...whose, ...override })
  t.equal(revealed(wallet, {}), mnemonic)
  const raw = "d123b4bdec43390b7cac14c615bd787671aa5535536f82e9e8e32557e05d8243"
  const key = { privateKey: `0x${raw}`, keyFormat: "HEXADECIMAL", importBundle, ...whose, ...override }
  t.equal(revealed(await encryptPrivateKeyToBundle(key), { hex: raw }), raw)
  const refusals = [
    [{ ...whose, userId: "another" }, /user id does not match/],
    [{ ...whose, organizationId: "another" }, /organization id does not match/],
  ] as const
  for (const [other, message] of refusals)
    await t.rejects(encryptWalletToBundle({ mnemonic, importBundle, ...other, ...override }), message)
  await t.rejects(encryptWalletToBundle({ mnemonic, importBundle, ...whose }), /expected signer key/)
})

t.test("a published client opens exports of any content", async (t) => {
  const { privateKey: embeddedKey, publicKeyUncompressed } = generateP256KeyPair()
  const recipient = readTargetKey(publicKeyUncompressed, FIELD)
  let draws = 0
  const seal = (hex: string) =>
    writer.exported(sealMessage(recipient, secretOf(hex), countingRandom((draws += 40))), origin)
  const open = (exportBundle: string, more: { returnMnemonic: boolean; keyFormat?: "SOLANA" }) =>
    decryptExportBundle({ exportBundle, embeddedKey, organizationId, ...override, ...more })
  const text = "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong"
  t.equal(await open(seal(toHex(Buffer.from(text))), { returnMnemonic: true }), text)
  for (const { hex, solana } of own.export.bundles) {
    if (hex === undefined) continue
    t.equal(await open(seal(hex), { returnMnemonic: false }), hex)
    if (solana) t.equal(await open(seal(hex), { returnMnemonic: false, keyFormat: "SOLANA" }), solana)
  }
  const bundle = seal("00")
  const bare = { exportBundle: bundle, embeddedKey, returnMnemonic: false }
  await t.rejects(decryptExportBundle({ ...bare, organizationId: "another", ...override }), /does not match/)
  await t.rejects(decryptExportBundle({ ...bare, organizationId }), /expected signer key/)
  const other = generateP256KeyPair().privateKey
  await t.rejects(decryptExportBundle({ ...bare, embeddedKey: other, organizationId, ...override }))
})

t.test(
  "export bundles have the members of recorded exports, in their order, then those of this service",
  async (t) => {
    const recipient = readTargetKey(own.export.readerPublic, FIELD)
    const ours = JSON.parse(
      writer.exported(sealMessage(recipient, secretText("x"), countingRandom(1)), origin),
    )
    const inner = (data: string) => Object.keys(JSON.parse(Buffer.from(data, "hex").toString()))
    for (const { what, bundle } of own.export.bundles) {
      const theirs = JSON.parse(bundle)
      t.same(Object.keys(ours), Object.keys(theirs), what)
      const members = [...inner(theirs.data), "userId", "walletId", "timestampMs"]
      t.same(inner(ours.data), members, what)
    }
  },
)

t.test("malformed bundles are refused before any key is used", async (t) => {
  const good = JSON.parse(own.import.bundles[0]!.bundle)
  t.ok(
    readBundle(
      JSON.stringify({ ciphertext: good.ciphertext, more: 1, encappedPublic: good.encappedPublic }),
      FIELD,
    ),
  )
  for (const text of [
    "",
    "{",
    "null",
    "[]",
    "{}",
    '"text"',
    JSON.stringify({ encappedPublic: good.encappedPublic }),
    JSON.stringify({ ...good, ciphertext: 7 }),
    JSON.stringify({ ...good, ciphertext: `${good.ciphertext}0` }),
    JSON.stringify({ ...good, encappedPublic: `0x${good.encappedPublic}` }),
    JSON.stringify(good).replace("{", '{"ciphertext":"00",'),
  ]) {
    t.match(
      refusalOf(() => openBundle(secretOf(target), text, FIELD)),
      { code: "BUNDLE_MALFORMED", field: FIELD },
      text,
    )
  }
})

t.test("B4: all bundles that do not open are refused with the same sentence", async (t) => {
  const good = JSON.parse(own.import.bundles[0]!.bundle)
  const sentences = new Set<string | undefined>()
  const refuses = (key: string, bundle: object, what: string) => {
    const refusal = refusalOf(() => openBundle(secretOf(key), JSON.stringify(bundle), FIELD))
    t.match(refusal, { code: "BUNDLE_BROKEN", field: FIELD }, what)
    sentences.add(refusal?.message)
  }
  refuses(own.export.reader, good, "another's key")
  refuses(target, { ...good, ciphertext: "" }, "no ciphertext")
  refuses(target, { ...good, encappedPublic: "" }, "no point")
  refuses(target, { ...good, ciphertext: `${good.ciphertext}00` }, "a byte more")
  refuses(target, { ...good, encappedPublic: `04${"00".repeat(64)}` }, "no point of the curve")
  const compressed = `02${good.encappedPublic.slice(2, 66)}`
  refuses(target, { ...good, encappedPublic: compressed }, "a compressed point")
  t.equal(sentences.size, 1)
})

t.test("any text is opened, malformed or broken", async () => {
  const hex = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map(toHex),
    fc.string(),
    fc.constant(toHex(targetPublic)),
  )
  const bundle = fc.record({ encappedPublic: hex, ciphertext: hex }).map((members) => JSON.stringify(members))
  // refusalOf throws what is no refusal.
  const isRefused = (text: string) =>
    /^BUNDLE_(MALFORMED|BROKEN)$/.test(refusalOf(() => openBundle(secretOf(target), text, FIELD))?.code ?? "")
  fc.assert(fc.property(fc.oneof(bundle, fc.json(), fc.string()), isRefused))
})

t.test("target keys that are not uncompressed points of the curve are refused", async (t) => {
  const good = own.export.readerPublic
  t.same(
    readTargetKey(good.toUpperCase(), FIELD),
    createPublicKey(p256PrivateKey(secretOf(own.export.reader))),
  )
  const compressed = `02${good.slice(2, 66)}`
  for (const digits of [
    "",
    "04",
    compressed,
    good.slice(2),
    `${good}00`,
    `02${good.slice(2)}`,
    `${good.slice(0, -1)}0`,
  ])
    t.match(
      refusalOf(() => readTargetKey(digits, FIELD)),
      { code: "TARGET_KEY_INVALID", field: FIELD },
      digits,
    )
})
