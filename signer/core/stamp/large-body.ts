import { createHash, createVerify, hash, type KeyObject, verify } from "node:crypto"
import { keccak_256 } from "@noble/hashes/sha3.js"
import type { Steps } from "../turns/steps.ts"
import { MAX_UNVERIFIED_BODY_BYTES } from "../wire.ts"

// Digests of large bodies, and signatures over them. Hashing a megabyte takes milliseconds, in which the event loop would
// serve nobody, and both tiers need the same digests several times. So they are computed in steps and kept with the body.

/** An ECDSA signature over SHA-256, DER. */
export type BodySignature = { readonly key: KeyObject; readonly der: Uint8Array }

/** Results by the identity of a body: nobody writes to its bytes. */
const digests = new WeakMap<Uint8Array, Buffer>()
const eip191Digests = new WeakMap<Uint8Array, Uint8Array>()
const verified = new WeakMap<Uint8Array, BodySignature & { readonly isValid: boolean }>()

/** Bytes of one step: about a third of a millisecond. */
const STEP_BYTES = 64 * 1024
/** keccak in JavaScript is slower. */
const KECCAK_STEP_BYTES = 16 * 1024

/** True for a body whose stamp is verified before the body is parsed. */
export function isLargeBody(body: Uint8Array): boolean {
  return body.length > MAX_UNVERIFIED_BODY_BYTES
}

/** Computes the digest of a large body, which sha256OfBody finds then. */
export function* hashInSteps(body: Uint8Array): Steps<void> {
  if (digests.has(body)) return
  const sha256 = createHash("sha256")
  for (const part of partsOf(body, STEP_BYTES)) {
    sha256.update(part)
    yield
  }
  digests.set(body, sha256.digest())
}

/** Computes the digest that eip191Digest finds. */
export function* hashEip191InSteps(body: Uint8Array): Steps<void> {
  if (eip191Digests.has(body)) return
  const keccak = keccak_256.create().update(eip191Prefix(body))
  for (const part of partsOf(body, KECCAK_STEP_BYTES)) {
    keccak.update(part)
    yield
  }
  eip191Digests.set(body, keccak.digest())
}

/** Verifies a signature over a large body. Whether it is valid is asked afterwards, by verifyBody. */
export function* verifyBodyInSteps(body: Uint8Array, signature: BodySignature): Steps<void> {
  const verifier = createVerify("sha256")
  for (const part of partsOf(body, STEP_BYTES)) {
    verifier.update(part)
    yield
  }
  verified.set(body, { ...signature, isValid: verifier.verify(signature.key, signature.der) })
}

function* partsOf(body: Uint8Array, size: number): Generator<Uint8Array, void, void> {
  for (let offset = 0; offset < body.length; offset += size) yield body.subarray(offset, offset + size)
}

/** True if the key signed exactly these bytes. */
export function verifyBody(body: Uint8Array, { key, der }: BodySignature): boolean {
  const signed = verified.get(body)
  if (signed !== undefined && signed.key.equals(key) && Buffer.compare(signed.der, der) === 0)
    return signed.isValid
  // A bare key and DER: an options object makes Node 50% slower.
  return verify("sha256", body, key, der)
}

export function sha256OfBody(body: Uint8Array): Buffer {
  return digests.get(body) ?? hash("sha256", body, "buffer")
}

/** The digest that personal_sign signs, EIP-191 version 0x45. */
export function eip191Digest(body: Uint8Array): Uint8Array {
  return eip191Digests.get(body) ?? keccak_256.create().update(eip191Prefix(body)).update(body).digest()
}

function eip191Prefix(body: Uint8Array): Uint8Array {
  return Buffer.from(`\u0019Ethereum Signed Message:\n${body.length}`)
}
