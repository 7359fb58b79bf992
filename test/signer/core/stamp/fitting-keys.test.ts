// Judged by noble's verification, which knows nothing of the recovery here.
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto"
import { p256 } from "@noble/curves/nist.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import t from "tap"
import { fittingKeys, fittingPasskeyKeys } from "../../../../signer/core/stamp/fitting-keys.ts"
import { type ApiKeyStamp, readStamp } from "../../../../signer/core/stamp/read-stamp.ts"
import { verifyStamp } from "../../../../signer/core/stamp/verify.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { CURVE_OF_SCHEME, newCurveKey, SCHEMES, stampUnder } from "../../../harness/scheme-keys.ts"

const body = randomBytes(100).toString("hex")
const bytes = Buffer.from(body)
const ECDSA = SCHEMES.filter((scheme) => !scheme.endsWith("ED25519"))

for (const scheme of ECDSA) {
  t.test(`${scheme}: the stamping key and others, each of which verifies under a scheme`, async (t) => {
    for (let round = 0; round < 4; round++) {
      const key = newCurveKey(CURVE_OF_SCHEME[scheme])
      const stamp = readStamp(stampUnder(key, scheme, body))
      const keys = fittingKeys(stamp, bytes)
      t.ok(keys.includes(key.publicKeyHex))
      t.ok(keys.length >= 2, "one more key at least")
      for (const publicKeyHex of keys) {
        const verified = ECDSA.filter((named) =>
          verifyStamp({ ...stamp, scheme: named, publicKeyHex }, bytes),
        )
        t.equal(verified.length, 1, publicKeyHex)
      }
    }
  })
}

t.test("an Ed25519 signature fits the key that made it", async (t) => {
  const key = newCurveKey("API_KEY_CURVE_ED25519")
  const stamp = readStamp(stampUnder(key, "SIGNATURE_SCHEME_TK_API_ED25519", body))
  t.same(fittingKeys(stamp, bytes), [key.publicKeyHex])
  const ecdsa = readStamp(stampUnder(newCurveKey("API_KEY_CURVE_P256"), "SIGNATURE_SCHEME_TK_API_P256", body))
  const { signature } = ecdsa
  t.same(
    fittingKeys({ ...stamp, signature }, bytes),
    [key.publicKeyHex],
    "though its bytes have the form of ECDSA's",
  )
})

for (const [scheme, curve] of [
  ["SIGNATURE_SCHEME_TK_API_P256", p256],
  ["SIGNATURE_SCHEME_TK_API_SECP256K1", secp256k1],
] as const) {
  t.test(`${scheme}: also keys for which the x coordinate of R is r + n`, async (t) => {
    const signature = new curve.Signature(overflowing(curve), 7n)
    const digest = createHash("sha256").update(bytes).digest()
    const keys = [0, 1, 2, 3].flatMap((recovery) => {
      try {
        return [signature.addRecoveryBit(recovery).recoverPublicKey(digest).toHex(true)]
      } catch {
        return [] // r itself may be no x coordinate
      }
    })
    t.ok(keys.length >= 2)
    const stamp: ApiKeyStamp = {
      kind: "api-key",
      credential: keys[0]!,
      scheme,
      publicKeyHex: keys[0]!,
      signature: signature.toBytes("der"),
    }
    const fitting = fittingKeys(stamp, bytes)
    for (const publicKeyHex of keys) {
      t.ok(fitting.includes(publicKeyHex))
      t.ok(curve.verify(signature.toBytes(), bytes, Buffer.from(publicKeyHex, "hex"), { lowS: false }))
    }
  })
}

t.test("a signature that also fits the point at infinity fits no such key", async (t) => {
  const { Point } = p256
  const { Fn } = Point
  const k = 12345n
  const r = Fn.create(Point.BASE.multiply(k).toAffine().x)
  const digest = createHash("sha256").update(bytes).digest()
  const s = Fn.mul(Fn.create(BigInt(`0x${digest.toString("hex")}`)), Fn.inv(k))
  const signature = new p256.Signature(r, s).toBytes("der")
  const publicKeyHex = newCurveKey("API_KEY_CURVE_P256").publicKeyHex
  const scheme = "SIGNATURE_SCHEME_TK_API_P256"
  const keys = fittingKeys(
    { kind: "api-key", credential: publicKeyHex, scheme, publicKeyHex, signature },
    bytes,
  )
  const verifying = keys.filter((key) =>
    p256.verify(new p256.Signature(r, s).toBytes(), bytes, Buffer.from(key, "hex"), { lowS: false }),
  )
  t.equal(verifying.length, 1, "the key of the other sign of R")
})

/** The least r for which r + n is the x coordinate of a point. */
function overflowing(curve: typeof p256): bigint {
  for (let r = 1n; ; r++) {
    try {
      curve.Point.fromHex(`02${(curve.Point.Fn.ORDER + r).toString(16).padStart(64, "0")}`)
      return r
    } catch {
      // no such point
    }
  }
}

t.test(
  "an assertion fits the passkey and one more key, an RSA assertion none that can be computed",
  async (t) => {
    const passkey = new Passkey()
    const assertion = passkey.get("challenge")
    const keys = fittingPasskeyKeys(assertion)
    const { x = "", y = "" } = createPublicKey(passkey.privateKey).export({ format: "jwk" })
    const [abscissa, ordinate] = [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]
    t.ok(keys.includes((ordinate.at(-1)! % 2 === 0 ? "02" : "03") + abscissa.toString("hex")))
    t.equal(keys.length, 2)
    const client = createHash("sha256").update(assertion.clientDataJson).digest()
    const signed = Buffer.concat([assertion.authenticatorData, client])
    for (const hex of keys) {
      const point = p256.Point.fromHex(hex).toBytes(false)
      const [jx, jy] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
        Buffer.from(part).toString("base64url"),
      )
      const jwk = { kty: "EC", crv: "P-256", x: jx!, y: jy! }
      t.ok(verify("sha256", signed, createPublicKey({ key: jwk, format: "jwk" }), assertion.signature))
    }
    t.same(fittingPasskeyKeys(new Passkey({ algorithm: "RS256" }).get("challenge")), [])
    t.same(fittingPasskeyKeys(new Passkey({ algorithm: "EdDSA" }).get("challenge")), [])
  },
)
