import { hash } from "node:crypto"
import t from "tap"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { p256 } from "@noble/curves/nist.js"
import type { Curve } from "../../signer/core/crypto/curve.ts"
import { SigningKey } from "../../signer/enclave/keys/signing-key.ts"
import { readDerSignature, writeDerSignature } from "../../signer/core/stamp/der.ts"
import type { StampScheme } from "../../signer/core/stamp/keys.ts"
import { verifyStamp } from "../../signer/core/stamp/verify.ts"
import { publishedVectors } from "../harness/vectors.ts"
import { fromHex, secretOf, toHex } from "../signer/enclave/keys/tools.ts"

type Case = { comment: string; msg: string; sig: string; result: string }
type Wycheproof = {
  numberOfTests: number
  testGroups: { publicKey: { uncompressed: string }; tests: Case[] }[]
}

/** A signing case: a curve, its stamp scheme, the verifier of another library, and the file's number of cases. */
const kinds: readonly [string, Curve, StampScheme, typeof p256, number][] = [
  ["ecdsa_secp256k1_sha256_p1363", "CURVE_SECP256K1", "SIGNATURE_SCHEME_TK_API_SECP256K1", secp256k1, 252],
  ["ecdsa_secp256r1_sha256_p1363", "CURVE_P256", "SIGNATURE_SCHEME_TK_API_P256", p256, 262],
]

for (const [file, curve, scheme, judge, expectedCount] of kinds) {
  const vectors = publishedVectors<Wycheproof>(`wycheproof/${file}_test.json`)

  t.test(
    `r and s of Wycheproof's ${file} are accepted or refused as expected`,
    vectors.options,
    async (t) => {
      const counts = { valid: 0, invalid: 0 }
      for (const { publicKey, tests } of vectors.read().testGroups) {
        const publicKeyHex = toHex(judge.Point.fromHex(publicKey.uncompressed).toBytes(true))
        for (const { comment, msg, sig, result } of tests) {
          const signature = derOf(sig)
          const isValid =
            signature !== undefined && verifyStamp({ scheme, publicKeyHex, signature }, fromHex(msg))
          if (isValid !== (result === "valid")) t.fail(`${comment} is ${result}`)
          counts[isValid ? "valid" : "invalid"]++
        }
      }
      t.equal(counts.valid + counts.invalid, expectedCount)
      t.ok(counts.invalid > 80, "negative ones among them")
    },
  )

  t.test(`signatures of the messages of ${file} verify in another library`, vectors.options, async (t) => {
    const messages = vectors.read().testGroups.flatMap(({ tests }) => tests.map(({ msg }) => fromHex(msg)))
    for (const [index, message] of messages.entries()) {
      const { secretKey } = judge.keygen()
      const key = new SigningKey({ curve, secret: secretOf(toHex(secretKey)) })
      const digest = sha256(message)
      const input = index % 2 === 0 ? { digest } : { digest, sha256Of: message }
      const { r, s } = key.sign(input)
      const publicKey = fromHex(key.publicKeyHex)
      if (!judge.verify(fromHex(r + s), message, publicKey, { lowS: true })) t.fail(`${index}: ${r} ${s}`)
      const signature = writeDerSignature(fromHex(r + s))
      if (!verifyStamp({ scheme, publicKeyHex: key.publicKeyHex, signature }, message)) t.fail(`${index}`)
    }
    t.equal(messages.length, expectedCount)
  })
}

type Bip143 = {
  name: string
  signings: { sigHash: string; signature: string; publicKey: string; privateKey?: string }[]
}
const bip143 = publishedVectors<Bip143[]>("bips/bip-0143.json")

t.test("secp256k1 returns the signatures of BIP-143", bip143.options, async (t) => {
  const signings = bip143.read().flatMap((each) => each.signings)
  t.equal(signings.length, 14)
  const known = signings.filter(({ privateKey }) => privateKey !== undefined)
  t.equal(known.length, 12, "of the others it prints no private key")
  for (const { sigHash, signature, publicKey, privateKey = "" } of known) {
    const key = new SigningKey({ curve: "CURVE_SECP256K1", secret: secretOf(privateKey) })
    t.equal(key.publicKeyHex, publicKey)
    const withoutHashType = fromHex(signature.slice(0, -2))
    const published = readDerSignature(withoutHashType, "SECP256K1")
    const { r, s } = key.sign({ digest: fromHex(sigHash) })
    t.equal(r + s, toHex(published ?? new Uint8Array()), sigHash)
  }
})

// RFC 6979, appendix A.2.5; s is published as it falls, here it is low: n - s where it was not.
const rfc6979 = {
  privateKey: "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
  signatures: [
    [
      "sample",
      "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
      "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    ],
    [
      "test",
      "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
      "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
    ],
  ],
} as const

t.test("P-256 returns the signatures of RFC 6979", async (t) => {
  const key = new SigningKey({ curve: "CURVE_P256", secret: secretOf(rfc6979.privateKey) })
  for (const [message, r, s] of rfc6979.signatures) {
    const published = BigInt(`0x${s}`)
    const { Fn } = p256.Point
    const low = published > Fn.ORDER >> 1n ? Fn.ORDER - published : published
    const digest = sha256(Buffer.from(message))
    t.strictSame(key.sign({ digest }), { r, s: low.toString(16).padStart(64, "0"), v: "00" }, message)
  }
})

function sha256(bytes: Uint8Array): Uint8Array {
  return hash("sha256", bytes, "buffer")
}

/** The DER form of r || s of equal length; undefined where it has none: other than 64 bytes. */
function derOf(digits: string): Uint8Array | undefined {
  return digits.length === 128 ? writeDerSignature(fromHex(digits)) : undefined
}
