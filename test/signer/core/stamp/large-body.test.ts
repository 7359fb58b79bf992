// Stamps over large bodies are verified in steps. Whatever was computed ahead, the verdict is that of verifying at once.
import { generateKeyPairSync, sign } from "node:crypto"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import t from "tap"
import {
  eip191Digest,
  hashInSteps,
  isLargeBody,
  sha256OfBody,
} from "../../../../signer/core/stamp/large-body.ts"
import { type KeySignature, readStamp, type Stamp } from "../../../../signer/core/stamp/read-stamp.ts"
import { challengeOf, verifyInSteps, verifyStamp } from "../../../../signer/core/stamp/verify.ts"
import { runAtOnce } from "../../../../signer/core/turns/steps.ts"
import { derOf, headerOf, newP256Key, sha256Hex, signP256 } from "./forge.ts"

const BODY = Buffer.alloc(300_000, "a body of many parts, ")

type Stamper = { name: string; stamp(body: Uint8Array): KeySignature }

const p256 = newP256Key()
const ed25519 = generateKeyPairSync("ed25519")
const secret = new Uint8Array(32).fill(7)
const secp256k1Key = Buffer.from(secp256k1.getPublicKey(secret)).toString("hex")

const write = (scheme: string, publicKey: string, signature: Uint8Array) =>
  readStamp(headerOf({ publicKey, scheme, signature: Buffer.from(signature).toString("hex") }))

function secp256k1Stamp(scheme: string, digest: Uint8Array): KeySignature {
  const signature = secp256k1.sign(digest, secret, { prehash: false })
  return write(scheme, secp256k1Key, derOf(...scalarsOf(signature)))
}

/** r and s as DER integers: positive, without leading zeros. */
function scalarsOf(signature: Uint8Array): [Uint8Array, Uint8Array] {
  const integer = (bytes: Uint8Array) => {
    const start = bytes.findIndex((byte) => byte !== 0)
    const short = bytes.subarray(start)
    return (short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), short]) : short
  }
  return [integer(signature.subarray(0, 32)), integer(signature.subarray(32))]
}

const stampers: Stamper[] = [
  {
    name: "P-256",
    stamp: (body) =>
      write("SIGNATURE_SCHEME_TK_API_P256", p256.publicKeyHex, signP256(p256.privateKey, body)),
  },
  {
    name: "secp256k1",
    stamp: (body) => secp256k1Stamp("SIGNATURE_SCHEME_TK_API_SECP256K1", Buffer.from(sha256Hex(body), "hex")),
  },
  {
    name: "EIP-191",
    stamp(body) {
      const prefix = Buffer.from(`\u0019Ethereum Signed Message:\n${body.length}`)
      return secp256k1Stamp(
        "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191",
        keccak_256(Buffer.concat([prefix, body])),
      )
    },
  },
  {
    name: "Ed25519",
    stamp(body) {
      const { x = "" } = ed25519.publicKey.export({ format: "jwk" })
      const publicKey = Buffer.from(x, "base64url").toString("hex")
      return write("SIGNATURE_SCHEME_TK_API_ED25519", publicKey, sign(null, body, ed25519.privateKey))
    },
  },
]

const ahead = (stamp: KeySignature, body: Uint8Array) => runAtOnce(verifyInSteps(stamp as Stamp, body))

for (const { name, stamp } of stampers) {
  t.test(
    `${name}: a stamp verified ahead counts for its body, its key and its signature alone`,
    async (t) => {
      const body = Buffer.from(BODY)
      const right = stamp(body)
      ahead(right, body)
      t.equal(verifyStamp(right, body), true)
      const wrong = stamp(Buffer.from("another body"))
      t.equal(verifyStamp(wrong, body), false, "another signature of the same key")
      const copy = Buffer.from(body)
      copy[200_000] = 0
      t.equal(verifyStamp(right, copy), false, "a body that differs in one byte")
      ahead(wrong, body)
      t.equal(verifyStamp(wrong, body), false, "a wrong one verified ahead")
      t.equal(verifyStamp(right, body), true, "the right one after it")
    },
  )
}

t.test("no signature counts for another key", async (t) => {
  const body = Buffer.from(BODY)
  const other = newP256Key()
  const stolen = {
    ...write("SIGNATURE_SCHEME_TK_API_P256", other.publicKeyHex, signP256(p256.privateKey, body)),
  }
  const own = write("SIGNATURE_SCHEME_TK_API_P256", p256.publicKeyHex, stolen.signature)
  ahead(own, body)
  t.equal(verifyStamp(own, body), true)
  t.equal(verifyStamp(stolen, body), false)
})

t.test("digests computed in steps are those computed at once", async (t) => {
  for (const bytes of [16_385, 65_536, 65_537, 300_000]) {
    const body = BODY.subarray(0, bytes)
    const [sha256, eip191] = [sha256OfBody(body), eip191Digest(body)]
    t.equal(sha256.toString("hex"), sha256Hex(body))
    runAtOnce(hashInSteps(body))
    t.same(sha256OfBody(body), sha256)
    const stamp = stampers[2]?.stamp(body)
    if (stamp) ahead(stamp, body)
    t.same(eip191Digest(body), eip191)
    t.equal(challengeOf(body), Buffer.from(sha256Hex(body)).toString("base64url"))
  }
})

t.test("a megabyte is hashed in pieces of which each is short", async (t) => {
  const body = Buffer.alloc(1_000_000, "x")
  t.ok(isLargeBody(body))
  t.notOk(isLargeBody(new Uint8Array(16 * 1024)), "as far as bodies are parsed at once")
  const steps = [...hashInSteps(body)]
  t.ok(steps.length >= 16)
  t.strictSame([...hashInSteps(body)], [], "and not hashed again")
})

t.test("what was computed ahead is found, and not computed again", async (t) => {
  // Nobody writes to a body. Here it shows which result is used.
  const alter = (body: Buffer) => body.fill(0, 100_000, 100_001)
  for (const { name, stamp } of stampers) {
    const body = Buffer.from(BODY)
    const right = stamp(body)
    const steps = [...verifyInSteps(right as Stamp, body)]
    const hashesBySteps = name !== "Ed25519"
    t.equal(steps.length > 0, hashesBySteps, `${name}: steps`)
    alter(body)
    if (name === "EIP-191") t.same(eip191Digest(body), eip191Digest(Buffer.from(BODY)), name)
    else t.equal(verifyStamp(right, body), hashesBySteps, name)
    t.equal(sha256OfBody(body).toString("hex"), sha256Hex(body), `${name}: no digest that was not asked for`)
  }
})

t.test(
  "a passkey's challenge is computed ahead, an attested stamp and a malformed signature take no steps",
  async (t) => {
    const body = Buffer.from(BODY)
    const challenge = challengeOf(body)
    t.ok([...verifyInSteps({ kind: "passkey" } as Stamp, body)].length > 0)
    body.fill(0, 100_000, 100_001)
    t.equal(challengeOf(body), challenge)
    for (const stamp of [
      { kind: "attested", scheme: "SIGNATURE_SCHEME_TK_API_P256" },
      {
        ...write("SIGNATURE_SCHEME_TK_API_P256", p256.publicKeyHex, signP256(p256.privateKey, body)),
        signature: Buffer.of(1),
      },
      {
        ...write("SIGNATURE_SCHEME_TK_API_P256", p256.publicKeyHex, signP256(p256.privateKey, body)),
        publicKeyHex: "00",
      },
    ])
      t.equal([...verifyInSteps(stamp as unknown as Stamp, body)].length, 0)
  },
)
