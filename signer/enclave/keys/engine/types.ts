export type EngineName = "libsecp256k1" | "libsecp256k1-wasm" | "noble"

/** `signature`: r(32) || s(32), low s. `recovery`: parity of the nonce point's y, after s was lowered. */
export type RecoverableSignature = { readonly signature: Uint8Array; readonly recovery: 0 | 1 }

/** Operations on secp256k1; private keys are 32 bytes, big-endian. */
export type Secp256k1Engine = {
  readonly name: EngineName
  /** True if the bytes are 32 and a number from 1 to n-1. */
  isPrivateKey(key: Uint8Array): boolean
  /** Point of a private key: 33 bytes, or 65 uncompressed. @throws for an invalid key */
  publicKey(privateKey: Uint8Array, compressed: boolean): Uint8Array
  /** Replaces `key` by key + addend mod n. @throws when the result is 0 or an operand is out of range. */
  addToPrivateKey(key: Uint8Array, addend: Uint8Array): void
  /** Replaces `key` by n - key. @throws for an invalid key */
  negatePrivateKey(key: Uint8Array): void
  /** Compressed point + scalar G, 33 bytes. @throws when the sum is not a point or the scalar is out of range */
  addToPoint(point: Uint8Array, scalar: Uint8Array): Uint8Array
  /** ECDSA over a 32-byte digest, nonce by RFC 6979 with HMAC-SHA256, low s. @throws for other lengths. */
  sign(digest: Uint8Array, privateKey: Uint8Array): RecoverableSignature
  /** BIP-340 over 32 bytes without auxiliary randomness: 64 bytes, deterministic. @throws for other lengths */
  signSchnorr(digest: Uint8Array, privateKey: Uint8Array): Uint8Array
}

/** Recovery ids 2 and 3 mean r >= n: 2^-127, and no client could read them. */
export function requireParity(recovery: number | undefined): 0 | 1 {
  if (recovery === 0 || recovery === 1) return recovery
  throw new RangeError("a recovery id other than 0 and 1")
}
