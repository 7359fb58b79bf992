import { ed25519 as curve25519 } from "@noble/curves/ed25519.js"
import t from "tap"
import { ApiKeyCurve } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { findPublicKey, isPublicKeyHex, requirePublicKey } from "../../../../signer/core/stamp/keys.ts"
import { newP256Key, refusalOf } from "./forge.ts"

// Generators: SEC 2 §2.4, RFC 8032 §5.1.
const p256 = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
const secp256k1 = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
const ed25519 = "5866666666666666666666666666666666666666666666666666666666666666"

t.test("returns sound keys in lower case", async (t) => {
  t.equal(requirePublicKey(ApiKeyCurve.P256, p256), p256)
  t.equal(requirePublicKey(ApiKeyCurve.P256, p256.toUpperCase()), p256)
  t.equal(requirePublicKey(ApiKeyCurve.SECP256K1, secp256k1), secp256k1)
  t.equal(requirePublicKey(ApiKeyCurve.ED25519, ed25519), ed25519)
})

t.test("B1: refuses what is no compressed point of the curve", async (t) => {
  const refused: [title: string, curve: ApiKeyCurve, hex: string][] = [
    ["no hex at all", ApiKeyCurve.P256, ""],
    ["too short", ApiKeyCurve.P256, p256.slice(2)],
    ["too long", ApiKeyCurve.P256, `${p256}00`],
    ["with 0x", ApiKeyCurve.P256, `0x${p256.slice(2)}`],
    ["other letters", ApiKeyCurve.P256, `02${"zz".repeat(32)}`],
    ["letters that lose their upper byte", ApiKeyCurve.P256, `03\u0136${p256.slice(3)}`],
    ["trailing line break", ApiKeyCurve.ED25519, `${ed25519}\n`],
    ["uncompressed", ApiKeyCurve.P256, `04${p256.slice(2)}${"4f".repeat(32)}`],
    ["hybrid", ApiKeyCurve.P256, `06${p256.slice(2)}${"4f".repeat(32)}`],
    ["hybrid prefix, compressed length", ApiKeyCurve.P256, `07${p256.slice(2)}`],
    ["infinity", ApiKeyCurve.P256, "00"],
    ["no point has this abscissa", ApiKeyCurve.SECP256K1, `02${"00".repeat(31)}05`],
    [
      "abscissa is the prime",
      ApiKeyCurve.P256,
      `02ffffffff00000001${"0".repeat(24)}ffffffffffffffffffffffff`,
    ],
    ["abscissa over the prime", ApiKeyCurve.SECP256K1, `02${"ff".repeat(27)}fefffffc30`],
    ["Ed25519: the neutral point", ApiKeyCurve.ED25519, `01${"00".repeat(31)}`],
    ["Ed25519: order two", ApiKeyCurve.ED25519, `ec${"ff".repeat(30)}7f`],
    ["Ed25519: order four", ApiKeyCurve.ED25519, "00".repeat(32)],
    ["Ed25519: ordinate over the prime", ApiKeyCurve.ED25519, `ee${"ff".repeat(30)}7f`],
    ["Ed25519: minus zero", ApiKeyCurve.ED25519, `01${"00".repeat(30)}80`],
    ["Ed25519: not on the curve", ApiKeyCurve.ED25519, `02${"00".repeat(31)}`],
    ["no curve", ApiKeyCurve.UNSPECIFIED, p256],
  ]
  for (const [title, curve, hex] of refused) {
    t.equal(refusalOf(() => requirePublicKey(curve, hex)).code, "PUBLIC_KEY_INVALID", title)
  }
})

t.test("B1: a key has the form of its curve from its first to its last digit", async (t) => {
  const keys = { P256: p256, SECP256K1: secp256k1, ED25519: ed25519 } as const
  for (const [curve, hex] of Object.entries(keys) as [keyof typeof keys, string][]) {
    t.equal(isPublicKeyHex(curve, hex), true, curve)
    for (const other of [`0${hex}`, `${hex}0`, `${hex}\n`, hex.slice(1), `g${hex.slice(1)}`])
      t.equal(isPublicKeyHex(curve, other), false, `${curve}: ${other.length} characters`)
  }
})

t.test("B1: Ed25519: refuses every ordinate that is not below the prime", async (t) => {
  // RFC 8032 §5.1.3 step 1: the prime and 18 further values have 255 bits.
  const encodings = Array.from(
    { length: 19 },
    (_, above) => `${(0xed + above).toString(16)}${"ff".repeat(30)}7f`,
  )
  const points = encodings.filter((hex) => {
    try {
      return !curve25519.Point.fromHex(hex, true).isSmallOrder()
    } catch {
      return false
    }
  })
  t.ok(points.length > 0, "a lenient reader takes some of them for points")
  for (const hex of encodings) t.equal(findPublicKey("ED25519", hex), undefined, hex.slice(0, 2))
})

t.test("names the member at fault", async (t) => {
  const refusal = refusalOf(() => requirePublicKey(ApiKeyCurve.P256, "", "parameters.apiKeys[1].publicKey"))
  t.equal(refusal.field, "parameters.apiKeys[1].publicKey")
})

t.test("a text that is no key takes no place among the parsed keys", async (t) => {
  const first = findPublicKey("P256", p256)
  for (let i = 0; i < 5000; i++) findPublicKey("P256", String(i))
  t.equal(findPublicKey("P256", p256), first)
})

t.test("keeps parsed keys, the least recently used goes first", async (t) => {
  const first = findPublicKey("P256", p256)
  t.equal(findPublicKey("P256", p256), first)
  for (let i = 0; i < 4095; i++) {
    findPublicKey("P256", newP256Key().publicKeyHex)
    if (i === 2000) t.equal(findPublicKey("P256", p256), first)
  }
  t.equal(findPublicKey("P256", p256), first, "kept: it was used meanwhile")
  for (let i = 0; i < 4096; i++) findPublicKey("P256", newP256Key().publicKeyHex)
  t.not(findPublicKey("P256", p256), first, "gone")
})
