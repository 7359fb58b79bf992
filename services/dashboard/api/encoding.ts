// Bytes as text, and signatures in the form of stamps.

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

export const base64url = (bytes: Uint8Array | ArrayBuffer): string =>
  Buffer.from(new Uint8Array(bytes)).toString("base64url")

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** A UUID of its 16 bytes. */
export const uuidOf = (bytes: Uint8Array): string =>
  hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")

export async function sha256Hex(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(text))))
}

/** SEQUENCE(INTEGER r, INTEGER s) of RFC 3279 §2.2.3, from r || s as WebCrypto signs. */
export function derSignature(compact: Uint8Array): Uint8Array {
  const parts = [compact.subarray(0, 32), compact.subarray(32)].flatMap(integer)
  return Uint8Array.from([0x30, parts.length, ...parts])
}

function integer(scalar: Uint8Array): number[] {
  const first = scalar.findIndex((byte) => byte !== 0)
  const digits = [...scalar.subarray(first < 0 ? 31 : first)]
  const signed = (digits[0] ?? 0) > 127 ? [0, ...digits] : digits
  return [0x02, signed.length, ...signed]
}

/** `02|03 || x` of a point `04 || x || y`, in hex. */
export function compressedHex(point: Uint8Array): string {
  return `${(point[64] ?? 0) % 2 === 0 ? "02" : "03"}${hex(point.subarray(1, 33))}`
}
