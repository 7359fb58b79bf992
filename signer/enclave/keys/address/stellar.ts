import { base32nopad } from "@scure/base"
import { crc16 } from "../../../core/address/crc16.ts"

/** Account id: the letter G. */
const VERSION = 6 << 3

/** StrKey (SEP-23): Base32 of `version(1) || key(32) || crc16(2, little-endian)`. */
export function stellarAddress(publicKey: Uint8Array): string {
  const payload = Uint8Array.of(VERSION, ...publicKey)
  const checksum = crc16(payload)
  return base32nopad.encode(Uint8Array.of(...payload, checksum & 0xff, checksum >> 8))
}
