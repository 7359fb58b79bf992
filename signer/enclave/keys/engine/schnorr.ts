import { createHash, hash } from "node:crypto"
import { elementAt } from "../../../core/crypto/element.ts"
import { ownBytes, wipe } from "../../../core/crypto/secret.ts"
import type { Secp256k1Engine } from "./types.ts"

/** Constant-time operations of libsecp256k1. Functions that replace a key throw if the result is no private key. */
type Scalars = Pick<Secp256k1Engine, "publicKey" | "negatePrivateKey" | "addToPrivateKey"> & {
  multiplyPrivateKey(key: Uint8Array, factor: Uint8Array): void
}

/**
 * BIP-340, default signing, with 32 zero bytes of auxiliary randomness: for a build of libsecp256k1 without its Schnorr
 * module. A hash that is no private key (2^-127) is refused instead of reduced modulo n.
 */
export function signSchnorr(digest: Uint8Array, privateKey: Uint8Array, scalars: Scalars): Uint8Array {
  if (digest.length !== 32) throw new RangeError("a digest has 32 bytes")
  const key = ownBytes(32)
  const masked = ownBytes(32)
  const nonce = ownBytes(32)
  try {
    key.set(privateKey)
    const point = negateIfOdd(key, scalars)
    for (const [at, mask] of MASK.entries()) masked[at] = elementAt(key, at) ^ mask
    const random = taggedHash(NONCE, masked, point, digest)
    nonce.set(random)
    wipe(random)
    const noncePoint = negateIfOdd(nonce, scalars)
    scalars.multiplyPrivateKey(key, taggedHash(CHALLENGE, noncePoint, point, digest))
    scalars.addToPrivateKey(key, nonce)
    return Buffer.concat([noncePoint, key])
  } finally {
    wipe(key, masked, nonce)
  }
}

/** Makes the key that of the point with an even y, and returns the point's x. */
function negateIfOdd(key: Uint8Array, scalars: Scalars): Uint8Array {
  const point = scalars.publicKey(key, true)
  if (elementAt(point, 0) === ODD_Y) scalars.negatePrivateKey(key)
  return point.subarray(1)
}

const ODD_Y = 0x03

const tagOf = (name: string) => Buffer.from(hash("sha256", name, "hex").repeat(2), "hex")
const NONCE = tagOf("BIP0340/nonce")
const CHALLENGE = tagOf("BIP0340/challenge")

/** The tagged hash of 32 zero bytes. */
const MASK = taggedHash(tagOf("BIP0340/aux"), new Uint8Array(32))

function taggedHash(tag: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const hasher = createHash("sha256").update(tag)
  for (const part of parts) hasher.update(part)
  return hasher.digest()
}
