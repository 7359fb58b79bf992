import { ed25519 } from "@noble/curves/ed25519.js"

/**
 * True for the encoding of a point (RFC 8032 §5.1.3) that is none of the eight of small order. OpenSSL accepts any 32 bytes,
 * and under a key of small order some signatures verify over any message.
 */
export function isSoundEd25519Key(bytes: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(bytes, false).isSmallOrder()
  } catch {
    return false
  }
}
