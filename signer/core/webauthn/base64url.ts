/** Bytes of base64url (RFC 4648 §5), with padding or without; undefined when it is written in any other way. */
export function readBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url")
  // Buffer skips characters that are not base64url: only a text that it writes again unchanged was base64url.
  const canonical = bytes.toString("base64url")
  const padding = "=".repeat((3 - (bytes.length % 3)) % 3)
  return text === canonical || text === canonical + padding ? bytes : undefined
}
