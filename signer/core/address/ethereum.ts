import { keccak_256 } from "@noble/hashes/sha3.js"

/** EIP-55 text of the address of an uncompressed point, 65 bytes. */
export function ethereumAddress(point: Uint8Array): string {
  return checksumAddress(Buffer.from(ethereumBytes(point)).toString("hex"))
}

/** The last 20 bytes of Keccak-256 over x || y (Ethereum Yellow Paper, appendix F); of `04 || x(32) || y(32)`. */
export function ethereumBytes(point: Uint8Array): Uint8Array {
  return keccak_256(point.subarray(1)).subarray(-20)
}

/** EIP-55: a letter is upper case where the digit of the hash of the lower-case text is 8 or more. 40 digits in. */
export function checksumAddress(digits: string): string {
  const lower = digits.toLowerCase()
  const hash = Buffer.from(keccak_256(Buffer.from(lower, "ascii"))).toString("hex")
  const mixed = Array.from(lower, (digit, i) => (hash.charAt(i) >= "8" ? digit.toUpperCase() : digit))
  return `0x${mixed.join("")}`
}

/**
 * 20 bytes of an address text: 0x and 40 hex digits, of one case or with the checksum of EIP-55. Undefined for
 * everything else: a wrong checksum is a mistyped address.
 */
export function ethereumAddressBytes(text: string): Uint8Array | undefined {
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(text)?.[1]
  if (digits === undefined) return undefined
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  if (!oneCase && checksumAddress(digits) !== text) return undefined
  return Uint8Array.from(Buffer.from(digits, "hex"))
}
