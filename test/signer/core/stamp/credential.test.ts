import { type CeremonyKind, Fault } from "../../../../signer/core/fault.ts"
import { createHash } from "node:crypto"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import t from "tap"
import { CredentialType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { readPasskeyStamp, readStamp, stampParts } from "../../../../signer/core/stamp/read-stamp.ts"
import {
  requireStampByCredential,
  type StoredCredential,
  unknownCredential,
  verifyStamp,
  verifyStoredStamp,
} from "../../../../signer/core/stamp/verify.ts"
import { nameOf, Passkey } from "../../../harness/authenticator.ts"
import { newKey, stampWith } from "../../../harness/stamper.ts"
import { derOf, refusalOf } from "./forge.ts"

const body = Buffer.from('{"type":"ACTIVITY_TYPE_CREATE_WALLET"}')
const key = newKey()
const passkey = new Passkey()
const ofKey = readStamp(stampWith(key, body))
const ofPasskey = readPasskeyStamp(passkey.stamp(body))
const NOW_MS = 1_000_000

const apiKey = (change: object = {}): StoredCredential => ({
  apiKey: { publicKey: key.publicKeyHex, type: CredentialType.API_KEY_P256, expiresAtMs: 0n, ...change },
})
const authenticator = (change: object = {}): StoredCredential => ({
  authenticator: {
    publicKey: passkey.publicKey,
    rpIdHash: createHash("sha256").update(passkey.rpId).digest(),
    ...change,
  },
})
const codeOf = (stored: StoredCredential, stamp: typeof ofKey | typeof ofPasskey, message = body) =>
  refusalOf(() =>
    requireStampByCredential(stored, stamp, message, { nowMs: NOW_MS, origins: () => undefined }),
  ).code

t.test("a credential stamps with its own kind of stamp and no other", async (t) => {
  t.equal(codeOf(apiKey(), ofKey), "none")
  t.equal(codeOf(authenticator(), ofPasskey), "none")
  t.equal(codeOf(authenticator(), ofKey), "STAMP_SCHEME_MISMATCH")
  for (const type of [CredentialType.API_KEY_P256, CredentialType.UNSPECIFIED])
    t.equal(codeOf(apiKey({ type }), ofPasskey), "STAMP_SCHEME_MISMATCH", `type ${type}`)
  t.equal(codeOf(apiKey({ type: CredentialType.API_KEY_SECP256K1 }), ofKey), "STAMP_SCHEME_MISMATCH")
})

t.test("a stamp of another body is refused, by a key and by a passkey", async (t) => {
  const other = Buffer.from("{}")
  t.equal(codeOf(apiKey(), ofKey, other), "STAMP_INVALID")
  t.equal(codeOf(authenticator(), ofPasskey, other), "STAMP_INVALID")
})

t.test("a key stamps until the millisecond in which it expires", async (t) => {
  t.equal(codeOf(apiKey({ expiresAtMs: BigInt(NOW_MS + 1) }), ofKey), "none")
  for (const expiresAtMs of [BigInt(NOW_MS), BigInt(NOW_MS - 1), 1n])
    t.equal(codeOf(apiKey({ expiresAtMs }), ofKey), "CREDENTIAL_EXPIRED")
})

t.test("a fault of a passkey's stamp is refused with its cause, another error is passed on", async (t) => {
  const require = (stored: StoredCredential) =>
    requireStampByCredential(stored, ofPasskey, body, { nowMs: NOW_MS, origins: () => undefined })
  const elsewhere = authenticator({ rpIdHash: Buffer.alloc(32) })
  t.throws(() => require(elsewhere), { code: "STAMP_CEREMONY_WRONG", cause: Fault<CeremonyKind> })
  const offCurve = Buffer.from(passkey.publicKey)
  offCurve[offCurve.length - 1]! ^= 1
  t.throws(() => require(authenticator({ publicKey: offCurve })), { code: "STAMP_INVALID" })
  t.throws(() => require(authenticator({ publicKey: undefined })), TypeError)
})

t.test("the refusal of an unknown credential names it and the organization", async (t) => {
  const ofUnknownKey = unknownCredential(ofKey, "acme")
  t.equal(ofUnknownKey.code, "CREDENTIAL_UNKNOWN")
  t.equal(
    ofUnknownKey.message,
    "could not find public key in organization or its parent organization: " +
      `organizationId=acme publicKey=${key.publicKeyHex}`,
  )
  const ofUnknownPasskey = unknownCredential(ofPasskey, "acme")
  t.equal(ofUnknownPasskey.code, "PASSKEY_UNKNOWN")
  t.equal(
    ofUnknownPasskey.message,
    "credential ID could not be found in organization or its parent organization: " +
      `organizationId=acme credentialId=${nameOf(passkey).slice("webauthn:".length)}`,
  )
})

t.test("EIP-191: accepts s and n - s alike, and refuses what is no signature without an error", async (t) => {
  const { n } = secp256k1.Point.CURVE()
  const { secretKey, publicKey } = secp256k1.keygen()
  const prefix = Buffer.from(`\u0019Ethereum Signed Message:\n${body.length}`)
  const signature = secp256k1.sign(keccak_256(Buffer.concat([prefix, body])), secretKey, { prehash: false })
  const { r, s } = secp256k1.Signature.fromBytes(signature)
  const bytesOf = (value: bigint) => Buffer.from(`00${value.toString(16).padStart(64, "0")}`, "hex")
  const stampOf = (bytes: Uint8Array) => ({
    scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191" as const,
    publicKeyHex: Buffer.from(publicKey).toString("hex"),
    signature: bytes,
  })
  for (const one of [s, n - s]) t.ok(verifyStamp(stampOf(derOf(bytesOf(r), bytesOf(one))), body))
  for (const none of [signature, new Uint8Array(0)]) t.equal(verifyStamp(stampOf(none), body), false)
})

t.test("a stored stamp of a key verifies in either case of hex, and in no other spelling", async (t) => {
  const stored = stampParts(ofKey)
  const withSignature = (signature: string) => verifyStoredStamp({ ...stored, signature }, body)
  t.ok(withSignature(stored.signature))
  t.ok(withSignature(stored.signature.toUpperCase()))
  const { signature } = stored
  for (const other of ["", `${signature}0`, `${signature}zz`, `zz${signature}`, ` ${signature}`, "zz"])
    t.equal(withSignature(other), false, JSON.stringify(other.slice(0, 4)))
  t.equal(verifyStoredStamp(stored, Buffer.from("{}")), false, "another message")
  t.equal(verifyStoredStamp({ ...stored, publicKey: newKey().publicKeyHex }, body), false, "another key")
  t.equal(verifyStoredStamp({ ...stored, scheme: "SIGNATURE_SCHEME_UNKNOWN" }, body), false)
})

t.test("a stored stamp of a passkey verifies with its key and message", async (t) => {
  const stored = stampParts(ofPasskey, passkey.publicKey)
  t.ok(verifyStoredStamp(stored, body))
  t.equal(verifyStoredStamp(stored, Buffer.from("{}")), false, "another message")
  const publicKey = new Passkey().publicKey.toString("base64url")
  t.equal(verifyStoredStamp({ ...stored, publicKey }, body), false, "another key")
  t.equal(verifyStoredStamp({ ...stored, signature: "{}" }, body), false, "no header")
  t.throws(() => verifyStoredStamp({ ...stored, publicKey: undefined as never }, body), TypeError)
})
