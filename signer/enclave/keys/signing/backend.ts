import { elementAt } from "../../../core/crypto/element.ts"
import type { Secret } from "../../../core/crypto/secret.ts"

/**
 * Input of a signature. ECDSA keys sign a 32-byte digest; `sha256Of` has the bytes when the digest is their SHA-256,
 * because OpenSSL hashes P-256 messages itself. Ed25519 keys sign the message (RFC 8032 §5.1.6). `merkleRoot`: 32 bytes; a Taproot key
 * then signs for its output with this script tree.
 */
export type Signable =
  | {
      readonly digest: Uint8Array
      readonly sha256Of?: Uint8Array
      readonly merkleRoot?: Uint8Array | undefined
    }
  | { readonly message: Uint8Array }

/** A key of one curve. `signature`: 128 hex digits; `recovery`: parity of the nonce point, or 0. */
export type Backend = {
  readonly publicKey: Uint8Array
  readonly uncompressed?: Uint8Array
  sign(input: Signable): { signature: string; recovery: 0 | 1 }
  wipe(): void
}

/** Copies the key. @throws {RangeError} when the bytes are not a private key of the curve */
export type OpenBackend = (secret: Secret) => Backend

/** @throws {TypeError | RangeError} for other inputs, which payload.ts never makes for this curve */
export function requireDigest(input: Signable): Uint8Array {
  if (!("digest" in input)) throw new TypeError("this curve signs a digest")
  if (input.digest.length !== 32) throw new RangeError("a digest has 32 bytes")
  return input.digest
}

/** @throws {TypeError} for other inputs, which payload.ts never makes for this curve */
export function requireMessage(input: Signable): Uint8Array {
  if (!("message" in input)) throw new TypeError("this curve signs a message")
  return input.message
}

/** Hex of public bytes. Copying them into a Buffer is faster than passing a small array of V8's heap to C++. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}

/** SEC 1 §2.3.3: `02` or `03` by the parity of y, then x. `point`: `04 || x(32) || y(32)` of any curve. */
export function compressPoint(point: Uint8Array): Uint8Array {
  if (point.length !== 65 || point[0] !== 4) throw new RangeError("the bytes are not an uncompressed point")
  const compressed = point.slice(0, 33)
  compressed[0] = 2 | (elementAt(point, 64) & 1)
  return compressed
}

/** A reference that `wipe` drops. OpenSSL clears its copy of the key once the last reference is collected. */
export class DroppableRef<T> {
  #value: T | undefined

  constructor(value: T) {
    this.#value = value
  }

  /** @throws {Error} after `wipe` */
  get(): T {
    if (this.#value === undefined) throw new Error("a key was used after it was wiped")
    return this.#value
  }

  wipe(): void {
    this.#value = undefined
  }
}
