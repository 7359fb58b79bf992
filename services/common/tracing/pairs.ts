/** A name of a header or of an attribute: a token (RFC 9110 §5.6.2). */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Reads `name=value,name=value` with percent-encoded values, as OpenTelemetry writes headers and attributes (W3C Baggage without
 * properties). Undefined: the text has another form.
 */
export function readPairs(text: string): ReadonlyMap<string, string> | undefined {
  const pairs = new Map<string, string>()
  for (const part of text.split(",").map((one) => one.trim())) {
    if (part === "") continue
    const [name = "", ...rest] = part.split("=")
    const value = rest.length === 0 ? undefined : decoded(rest.join("=").trim())
    if (value === undefined || !NAME.test(name.trim())) return undefined
    pairs.set(name.trim(), value)
  }
  return pairs
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
