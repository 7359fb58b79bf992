/** Bytes of base64url (RFC 4648 §5), with padding or without; undefined when it is written in any other way. */
export function readBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url")
  // Buffer skips what is not base64url; only what it writes the same way again was all of it.
  const canonical = bytes.toString("base64url")
  const padding = "=".repeat((3 - (bytes.length % 3)) % 3)
  return text === canonical || text === canonical + padding ? bytes : undefined
}
