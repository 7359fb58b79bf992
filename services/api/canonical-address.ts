const HEX =
  /^(?:0x[0-9a-fA-F]{40}|0x[0-9a-fA-F]{64}|[0-9a-fA-F]{64}|0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/
const UPPER_BECH32 = /^(?:BC|TB|BCRT|COSMOS|SEI)1[02-9AC-HJ-NP-Z]{38,59}$/
const TON_RAW = /^0:[0-9a-fA-F]{64}$/
const TON_FRIENDLY = /^(?:[0-9a-zA-Z_-]{48}|[0-9a-zA-Z+/]{48})$/
const TON_TAGS = new Set([0x11, 0x51, 0x91, 0xd1])

/**
 * One spelling for all texts of one address, to store and to look up by: the signer's own rule, which this tier
 * may not import. A test holds the two together; docs/formats/addresses.md explains them.
 */
export function canonicalAddress(text: string): string {
  if (HEX.test(text) || UPPER_BECH32.test(text) || TON_RAW.test(text)) return text.toLowerCase()
  if (TON_FRIENDLY.test(text)) return tonRaw(text) ?? text
  return text
}

function tonRaw(text: string): string | undefined {
  const bytes = Buffer.from(text, "base64")
  const isWhole = TON_TAGS.has(bytes.readUInt8(0)) && bytes.readUInt8(1) === 0
  if (!isWhole || crc16(bytes.subarray(0, 34)) !== bytes.readUInt16BE(34)) return undefined
  return `0:${bytes.toString("hex", 2, 34)}`
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let remainder = 0
  for (const byte of bytes) {
    remainder ^= byte << 8
    for (let bit = 0; bit < 8; bit++) {
      remainder = (remainder & 0x8000 ? (remainder << 1) ^ 0x1021 : remainder << 1) & 0xffff
    }
  }
  return remainder
}
