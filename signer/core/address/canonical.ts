/** Hexadecimal addresses: Ethereum, Sui, Aptos; keys: Ed25519 (64 digits), compressed (66), uncompressed (130). */
const HEX =
  /^(?:0x[0-9a-fA-F]{40}|0x[0-9a-fA-F]{64}|[0-9a-fA-F]{64}|0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/
/** Bech32 and Bech32m in upper case, with the prefixes that are derived here: the form of QR codes (BIP-173). */
const UPPER_BECH32 = /^(?:BC|TB|BCRT|COSMOS|SEI|SPARK|SPARKRT)1[02-9AC-HJ-NP-Z]{38,62}$/
/** Account of TON's basic workchain, by its hash. */
const TON_RAW = /^0:[0-9a-fA-F]{64}$/
/** 36 bytes in base64 or base64url. */
const TON_FRIENDLY = /^(?:[0-9a-zA-Z_-]{48}|[0-9a-zA-Z+/]{48})$/
/** Bounceable or not; each for test networks only or not (TEP-2). */
const TON_TAGS = new Set([0x11, 0x51, 0x91, 0xd1])

/**
 * One spelling for all texts of an address, to store and compare (docs/formats/addresses.md). Any other text is returned
 * unchanged: the look-up shows whether it is an address.
 */
export function canonicalAddress(text: string): string {
  if (HEX.test(text) || UPPER_BECH32.test(text) || TON_RAW.test(text)) return text.toLowerCase()
  if (TON_FRIENDLY.test(text)) return tonRaw(text) ?? text
  return text
}

/** `tag(1) || workchain(1) || hash(32) || crc16(2, BE)` as `0:hash`; undefined for any other text. */
function tonRaw(text: string): string | undefined {
  const bytes = Buffer.from(text, "base64")
  const isTonHeader = TON_TAGS.has(bytes.readUInt8(0)) && bytes.readUInt8(1) === 0
  if (!isTonHeader || crc16(bytes.subarray(0, 34)) !== bytes.readUInt16BE(34)) return undefined
  return `0:${bytes.toString("hex", 2, 34)}`
}

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
