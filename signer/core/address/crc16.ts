const POLYNOMIAL = 0x1021

/** CRC-16/XMODEM: polynomial 1021, from 0, most significant bit first. */
export function crc16(bytes: Uint8Array): number {
  let remainder = 0
  for (const byte of bytes) {
    remainder ^= byte << 8
    for (let bit = 0; bit < 8; bit++) {
      const shifted = remainder << 1
      remainder = (remainder & 0x8000 ? shifted ^ POLYNOMIAL : shifted) & 0xffff
    }
  }
  return remainder
}
