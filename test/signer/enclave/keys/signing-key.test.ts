import { createHash, createPublicKey, verify } from "node:crypto"
import { inspect } from "node:util"
import t from "tap"
import { p256 } from "@noble/curves/nist.js"
import { schnorr } from "@noble/curves/secp256k1.js"
import type { Curve } from "../../../../signer/core/crypto/curve.ts"
import { SigningKey } from "../../../../signer/enclave/keys/signing-key.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { fromHex, secretOf } from "./tools.ts"

type P256Vector = {
  name: string
  privateKey: string
  publicKey: string
  digest: string
  r: string
  s: string
}
type TaprootVector = Omit<P256Vector, "name"> & { outputKey: string }
const { p256: vectors, taproot } = ownVectors<{ p256: P256Vector[]; taproot: TaprootVector[] }>("payloads")
const KEY = "1ab42cc412b618bdea3a599e3c9bae199ebf030895b039e9db1e30dafb12b727"
const keyOf = (curve: Curve, hex = KEY) => new SigningKey({ curve, secret: secretOf(hex) })
const digest = createHash("sha256").update("hello").digest()

t.test("P-256 signs a digest by RFC 6979 with low s", async (t) => {
  for (const { name, privateKey, publicKey, digest, r, s } of vectors) {
    const key = keyOf("CURVE_P256", privateKey)
    t.equal(key.publicKeyHex, publicKey)
    t.strictSame(key.sign({ digest: fromHex(digest) }), { r, s, v: "00" }, name)
  }
})

t.test("P-256 signatures of SHA-256 digests verify elsewhere, and always have low s", async (t) => {
  const key = keyOf("CURVE_P256")
  const message = Buffer.from("hello")
  for (let i = 0; i < 20; i++) {
    const { r, s, v } = key.sign({ digest, sha256Of: message })
    t.ok(p256.verify(fromHex(r + s), message, fromHex(key.publicKeyHex), { lowS: true }))
    t.match([r, s, v], [/^[0-9a-f]{64}$/, /^[0-9a-f]{64}$/, "00"])
  }
})

t.test("Ed25519 signs messages, and r and s are the halves of the signature", async (t) => {
  const key = keyOf("CURVE_ED25519")
  const { r, s, v } = key.sign({ message: Buffer.from("hello") })
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), fromHex(key.publicKeyHex)])
  const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" })
  t.ok(verify(null, Buffer.from("hello"), publicKey, fromHex(r + s)))
  t.equal(v, "00")
  t.equal(key.publicKeyUncompressed, undefined)
})

t.test("Taproot signs by the tweaked key, and shows the plain public key", async (t) => {
  for (const { privateKey, publicKey, outputKey, digest, r, s } of taproot) {
    const key = new SigningKey({ curve: "CURVE_SECP256K1", secret: secretOf(privateKey) }, "taproot")
    t.equal(key.publicKeyHex, publicKey)
    t.equal(key.publicKeyUncompressed, keyOf("CURVE_SECP256K1", privateKey).publicKeyUncompressed)
    t.strictSame(key.sign({ digest: fromHex(digest) }), { r, s, v: "00" })
    t.ok(schnorr.verify(fromHex(r + s), fromHex(digest), fromHex(outputKey)))
  }
  const key = new SigningKey({ curve: "CURVE_SECP256K1", secret: secretOf(KEY) }, "taproot")
  t.throws(() => key.sign({ message: digest }), TypeError)
  key.wipe()
  t.throws(() => key.sign({ digest }), /after it was wiped/)
  t.throws(() => new SigningKey({ curve: "CURVE_P256", secret: secretOf(KEY) }, "taproot"), TypeError)
  t.throws(
    () => new SigningKey({ curve: "CURVE_SECP256K1", secret: secretOf("00".repeat(32)) }, "taproot"),
    RangeError,
  )
})

t.test("plain Schnorr signs by the untweaked key, whatever the parity of its point", async (t) => {
  const parities = new Set<string>()
  for (const number of ["01", "02", "03", "04", "05", "06"]) {
    const secret = secretOf(number.padStart(64, "0"))
    const key = new SigningKey({ curve: "CURVE_SECP256K1", secret }, "schnorr")
    const { r, s, v } = key.sign({ digest })
    t.ok(schnorr.verify(fromHex(r + s), digest, fromHex(key.publicKeyHex.slice(2))))
    t.equal(v, "00")
    parities.add(key.publicKeyHex.slice(0, 2))
    key.wipe()
    t.throws(() => key.sign({ digest }), /after it was wiped/)
  }
  t.equal(parities.size, 2)
  t.throws(() => new SigningKey({ curve: "CURVE_ED25519", secret: secretOf(KEY) }, "schnorr"), TypeError)
})

t.test("a key of any curve prints no secret", async (t) => {
  for (const curve of ["CURVE_SECP256K1", "CURVE_P256", "CURVE_ED25519"] as const) {
    const key = keyOf(curve)
    // oxlint-disable-next-line typescript/no-base-to-string -- what a careless log line would do
    const asText = String(key)
    const printed = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key) + asText
    t.notMatch(printed, KEY)
    t.notMatch(printed, "26, 180, 44")
    t.match(printed, key.publicKeyHex)
  }
})

t.test("a wiped key no longer signs, and the caller's copy is unchanged", async (t) => {
  for (const curve of ["CURVE_SECP256K1", "CURVE_P256", "CURVE_ED25519"] as const) {
    const secret = secretOf(KEY)
    const key = new SigningKey({ curve, secret })
    key.wipe()
    key.wipe()
    const input = curve === "CURVE_ED25519" ? { message: digest } : { digest }
    t.throws(() => key.sign(input), /after it was wiped/)
    t.equal(secret.length, 32)
  }
})

t.test("a message instead of a digest, or the reverse, is refused", async (t) => {
  t.throws(() => keyOf("CURVE_SECP256K1").sign({ message: digest }), TypeError)
  t.throws(() => keyOf("CURVE_P256").sign({ message: digest }), TypeError)
  t.throws(() => keyOf("CURVE_ED25519").sign({ digest }), TypeError)
  t.throws(() => keyOf("CURVE_SECP256K1").sign({ digest: digest.subarray(1) }), RangeError)
  t.throws(() => keyOf("CURVE_P256").sign({ digest: digest.subarray(1), sha256Of: digest }), RangeError)
})

t.test("bytes that are not a key of the curve are refused", async (t) => {
  for (const curve of ["CURVE_SECP256K1", "CURVE_P256"] as const) {
    for (const hex of ["00".repeat(32), "ff".repeat(32), "01".repeat(31)]) {
      t.throws(() => keyOf(curve, hex), RangeError)
    }
  }
  t.throws(() => keyOf("CURVE_ED25519", "01".repeat(33)), RangeError)
})
