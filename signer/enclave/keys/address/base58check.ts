import { base58 } from "@scure/base"
import { sha256 } from "./hashes.ts"

const CHECKSUM = 4

/** Base58 of `version(1) || body || the first 4 bytes of SHA-256 twice over both`; `alphabet`: Bitcoin's unless told. */
export function base58check(
  version: number,
  body: Uint8Array,
  alphabet: { encode(bytes: Uint8Array): string } = base58,
): string {
  const payload = Uint8Array.of(version, ...body)
  const checksum = sha256(sha256(payload)).subarray(0, CHECKSUM)
  return alphabet.encode(Uint8Array.of(...payload, ...checksum))
}
