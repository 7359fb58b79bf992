import { BrowserBuffer } from "./buffer.ts"

/** DigestInfo up to the digest (RFC 8017 §9.2, note 1). */
const DIGEST_INFO = {
  sha256: "3031300d060960864801650304020105000420",
  sha384: "3041300d060960864801650304020205000430",
  sha512: "3051300d060960864801650304020305000440",
} as const

type RsaKey = { modulus: bigint; exponent: bigint; bytes: number }

/** RSASSA-PKCS1-v1_5 (RFC 8017 §8.2.2): passkeys of some platforms sign so. */
export function verifyRsa(
  name: keyof typeof DIGEST_INFO,
  digest: Uint8Array,
  { modulus, exponent, bytes }: RsaKey,
  signature: Uint8Array,
): boolean {
  if (signature.length !== bytes) return false
  const value = BigInt(`0x${BrowserBuffer.from(signature).toString("hex")}`)
  if (value >= modulus) return false
  const opened = power(value, exponent, modulus)
    .toString(16)
    .padStart(2 * bytes, "0")
  const info = DIGEST_INFO[name] + BrowserBuffer.from(digest).toString("hex")
  return opened === `0001${"ff".repeat(bytes - 3 - info.length / 2)}00${info}`
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = base % modulus
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}
