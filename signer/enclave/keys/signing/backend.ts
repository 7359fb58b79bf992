import type { Secret } from "../../../core/crypto/secret.ts"

/**
 * What a key signs. ECDSA keys take a 32-byte digest; where that is the SHA-256 of bytes at hand, `sha256Of`
 * holds them, because OpenSSL hashes P-256 messages itself. Ed25519 keys take the message (RFC 8032 §5.1.6).
 */
export type Signable =
  | { readonly digest: Uint8Array; readonly sha256Of?: Uint8Array }
  | { readonly message: Uint8Array }

/** How one curve holds a key and signs. `signature`: 128 digits. `recovery`: parity of the nonce point, or 0. */
export type Backend = {
  readonly publicKey: Uint8Array
  readonly uncompressed?: Uint8Array
  sign(input: Signable): { signature: string; recovery: 0 | 1 }
  wipe(): void
}

/** Copies the key, or throws a RangeError when it is none of the curve. */
export type OpenBackend = (secret: Secret) => Backend

/** @throws {TypeError} a fault of ours: payload.ts makes what fits the curve. */
export function requireDigest(input: Signable): Uint8Array {
  if (!("digest" in input)) throw new TypeError("this curve signs a digest")
  if (input.digest.length !== 32) throw new RangeError("a digest has 32 bytes")
  return input.digest
}

/** @throws {TypeError} a fault of ours. */
export function requireMessage(input: Signable): Uint8Array {
  if (!("message" in input)) throw new TypeError("this curve signs a message")
  return input.message
}

/** Of public bytes. So few are copied sooner than small arrays of V8's own heap are shown to C++. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
