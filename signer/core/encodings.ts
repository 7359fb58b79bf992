// Texts that stand for bytes, each in its one spelling. Buffer skips or ends at what is none: a verifier would show, and call
// verified, a text of which it read a part.

/** Bytes of base64url (RFC 4648 §5), with padding or without; undefined when it is written in any other way. */
export function readBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url")
  const canonical = bytes.toString("base64url")
  const padding = "=".repeat((3 - (bytes.length % 3)) % 3)
  return text === canonical || text === canonical + padding ? bytes : undefined
}

/** Bytes of base64 with padding (RFC 4648 §4); undefined when it is written in any other way. */
export function readBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64")
  return bytes.toString("base64") === text ? bytes : undefined
}

/** Bytes of lower-case hexadecimal digits. None for any other text: no statement, hash or signature is empty. */
export function readHex(text: string): Buffer {
  const bytes = Buffer.from(text, "hex")
  return bytes.toString("hex") === text ? bytes : bytes.subarray(0, 0)
}
