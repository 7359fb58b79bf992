import { crc16 } from "./crc16.ts"

/** Ethereum; Sui and Aptos; keys in hex: Ed25519 (64 digits), compressed (66), uncompressed (130). */
const HEX =
  /^(?:0x[0-9a-fA-F]{40}|0x[0-9a-fA-F]{64}|[0-9a-fA-F]{64}|0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/
/** Bech32 and Bech32m of the prefixes that are made here, all upper case: as QR codes carry them (BIP-173). */
const UPPER_BECH32 = /^(?:BC|TB|BCRT|COSMOS|SEI|SPARK|SPARKRT)1[02-9AC-HJ-NP-Z]{38,62}$/
/** Account of TON's basic workchain by its hash. */
const TON_RAW = /^0:[0-9a-fA-F]{64}$/
/** 36 bytes in base64 or base64url. */
const TON_FRIENDLY = /^(?:[0-9a-zA-Z_-]{48}|[0-9a-zA-Z+/]{48})$/
/** Bounceable or not; each for test networks only or not (TEP-2). */
const TON_TAGS = new Set([0x11, 0x51, 0x91, 0xd1])

/**
 * One spelling for all texts of one address, to store and to compare by. What is one address in which spellings is
 * in docs/formats/addresses.md. Anything else comes back as it is: whether it is an address shows when it is looked
 * up.
 */
export function canonicalAddress(text: string): string {
  if (HEX.test(text) || UPPER_BECH32.test(text) || TON_RAW.test(text)) return text.toLowerCase()
  if (TON_FRIENDLY.test(text)) return tonRaw(text) ?? text
  return text
}

/** `tag(1) || workchain(1) || hash(32) || crc16(2, BE)` as `0:hash`; undefined for all that is not that. */
function tonRaw(text: string): string | undefined {
  const bytes = Buffer.from(text, "base64")
  const isWhole = TON_TAGS.has(bytes.readUInt8(0)) && bytes.readUInt8(1) === 0
  if (!isWhole || crc16(bytes.subarray(0, 34)) !== bytes.readUInt16BE(34)) return undefined
  return `0:${bytes.toString("hex", 2, 34)}`
}
