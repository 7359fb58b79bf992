import { generateKeyPairSync, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import t from "tap"
import { readStamp, type KeySignature } from "../../../../signer/core/stamp/read-stamp.ts"
import { requireStamp, verifyStamp } from "../../../../signer/core/stamp/verify.ts"
import { derOf, headerOf, newP256Key, refusalOf, signP256 } from "./forge.ts"

type Vector = Record<"id" | "scheme" | "publicKeyHex" | "signatureHex" | "body", string> & { xStamp?: string }
const own: { stamps: Vector[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../vectors/own/stamps.json"), "utf8"),
)

/** As it travels: written to a header and read from it. */
const stampOf = (vector: Vector): KeySignature =>
  readStamp(
    vector.xStamp ??
      headerOf({ publicKey: vector.publicKeyHex, scheme: vector.scheme, signature: vector.signatureHex }),
  )

for (const vector of own.stamps) {
  const body = Buffer.from(vector.body)
  const stamp = stampOf(vector)

  t.test(`accepts vector ${vector.id}`, async (t) => {
    t.equal(stamp.scheme, vector.scheme)
    t.equal(stamp.publicKeyHex, vector.publicKeyHex)
    t.equal(Buffer.from(stamp.signature).toString("hex"), vector.signatureHex)
    t.equal(verifyStamp(stamp, body), true)
    t.doesNotThrow(() => requireStamp(stamp, body))
  })

  t.test(`A4: ${vector.id} covers each byte of its body`, async (t) => {
    // EIP-191 goes through noble, a millisecond each: a few places stand for all.
    const step = vector.scheme.endsWith("EIP191") ? 4 : 1
    for (let at = 0; at < body.length; at += step) {
      const altered = Buffer.from(body)
      altered[at] = (altered[at] ?? 0) ^ 1
      if (verifyStamp(stamp, altered)) t.fail(`byte ${at} is not covered`)
    }
    t.equal(verifyStamp(stamp, Buffer.concat([body, Buffer.from(" ")])), false)
    t.equal(verifyStamp(stamp, body.subarray(1)), false)
    t.equal(refusalOf(() => requireStamp(stamp, Buffer.alloc(0))).code, "STAMP_INVALID")
  })

  t.test(`no other key and no other scheme makes ${vector.id} valid`, async (t) => {
    for (const other of own.stamps) {
      if (other.publicKeyHex.length !== vector.publicKeyHex.length) continue
      if (other.publicKeyHex === vector.publicKeyHex && other.scheme === vector.scheme) continue
      const { publicKeyHex } = other.publicKeyHex === vector.publicKeyHex ? stamp : stampOf(other)
      const altered = { ...stamp, publicKeyHex, scheme: stampOf(other).scheme }
      t.equal(refusalOf(() => requireStamp(altered, body)).code, "STAMP_INVALID", other.id)
    }
  })
}

t.test("accepts what the published stamper makes, in each of its runtimes", async (t) => {
  const { privateKey, publicKeyHex } = newP256Key()
  const { d = "" } = privateKey.export({ format: "jwk" })
  const apiPrivateKey = Buffer.from(d, "base64url").toString("hex")
  for (const runtimeOverride of ["node", "browser", "purejs"] as const) {
    const stamper = new ApiKeyStamper({ apiPublicKey: publicKeyHex, apiPrivateKey, runtimeOverride })
    for (const body of ['{"a":1}', "", '{"é":"😀"}']) {
      const { stampHeaderName, stampHeaderValue } = await stamper.stamp(body)
      t.equal(stampHeaderName, "X-Stamp")
      t.equal(
        verifyStamp(readStamp(stampHeaderValue), Buffer.from(body)),
        true,
        `${runtimeOverride}: ${body}`,
      )
    }
  }
})

t.test("P-256: accepts s and n - s alike, refuses r and s exchanged", async (t) => {
  const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const { privateKey, publicKeyHex } = newP256Key()
  const body = Buffer.from("{}")
  const raw = sign("sha256", body, { key: privateKey, dsaEncoding: "ieee-p1363" })
  const padded = (part: Uint8Array) => Buffer.concat([Buffer.alloc(1), part])
  const [r, s] = [padded(raw.subarray(0, 32)), padded(raw.subarray(32))]
  const mirrored = n - BigInt(`0x${s.toString("hex")}`)
  const twin = padded(Buffer.from(mirrored.toString(16).padStart(64, "0"), "hex"))
  const stamp = (signature: Uint8Array): KeySignature => ({
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
    publicKeyHex,
    signature,
  })
  t.equal(verifyStamp(stamp(derOf(r, s)), body), true)
  t.equal(verifyStamp(stamp(derOf(r, twin)), body), true)
  t.equal(verifyStamp(stamp(derOf(s, r)), body), false)
})

t.test("Ed25519: S plus the group's order is another spelling, and refused", async (t) => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const { x = "" } = publicKey.export({ format: "jwk" })
  const body = Buffer.from("{}")
  const signature = sign(null, body, privateKey)
  const stamp: KeySignature = {
    scheme: "SIGNATURE_SCHEME_TK_API_ED25519",
    publicKeyHex: Buffer.from(x, "base64url").toString("hex"),
    signature,
  }
  t.equal(verifyStamp(stamp, body), true)
  const big = BigInt(`0x${Buffer.from(signature.subarray(32).toReversed()).toString("hex")}`) + order
  const spelled = Buffer.from(big.toString(16).padStart(64, "0"), "hex").toReversed()
  t.equal(
    verifyStamp({ ...stamp, signature: Buffer.concat([signature.subarray(0, 32), spelled]) }, body),
    false,
  )
})

t.test("EIP-191: the prefix counts bytes, not characters", async (t) => {
  const secret = Buffer.alloc(32, 7)
  const body = Buffer.from('{"name":"Zoë 😀"}')
  const prefixed = (length: number) =>
    keccak_256(Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${length}`), body]))
  const stampFor = (digest: Uint8Array): KeySignature => ({
    scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191",
    publicKeyHex: Buffer.from(secp256k1.getPublicKey(secret)).toString("hex"),
    signature: secp256k1.sign(digest, secret, { prehash: false, format: "der" }),
  })
  t.equal(verifyStamp(stampFor(prefixed(body.length)), body), true)
  t.equal(verifyStamp(stampFor(prefixed(body.toString().length)), body), false)
  t.equal(verifyStamp(stampFor(keccak_256(body)), body), false)
})

t.test("a key off its curve and a signature out of form are false, not errors", async (t) => {
  const { privateKey, publicKeyHex } = newP256Key()
  const body = Buffer.from("{}")
  const stamp: KeySignature = {
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
    publicKeyHex,
    signature: signP256(privateKey, body),
  }
  t.equal(verifyStamp(stamp, body), true, "the unaltered twin")
  t.equal(verifyStamp({ ...stamp, publicKeyHex: `02${"ff".repeat(32)}` }, body), false)
  t.equal(verifyStamp({ ...stamp, publicKeyHex: "" }, body), false)
  t.equal(verifyStamp({ ...stamp, publicKeyHex: publicKeyHex.toUpperCase() }, body), false, "not canonical")
  t.equal(verifyStamp({ ...stamp, signature: new Uint8Array() }, body), false)
  t.equal(verifyStamp({ ...stamp, scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1" }, body), false)
})
