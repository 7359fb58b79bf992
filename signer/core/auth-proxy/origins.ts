/** `scheme://host` or `scheme://host:port`; native shells have schemes of their own (RFC 6454 section 6.2). */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s\p{C}/?#@*,\\]+$/iu

/**
 * An origin in the one spelling in which origins are compared: scheme and host in lower case, no default port, no slash at
 * the end. `*` is itself. Undefined: the text is no origin, such as `null`, a URL with a path, or a pattern.
 */
export function canonicalOrigin(text: string): string | undefined {
  if (text === "*") return text
  const origin = text.endsWith("/") ? text.slice(0, -1) : text
  if (!ORIGIN.test(origin)) return undefined
  const url = URL.parse(origin)
  if (url === null) return undefined
  if (/^https?:/i.test(origin)) return url.pathname === "/" ? url.origin : undefined
  // A colon without a port would be a second spelling.
  return origin.endsWith(":") ? undefined : origin.toLowerCase()
}

/** The settings by which origins are allowed. `allowedOrigins` are canonical. */
type OriginSettings = {
  readonly allowedOrigins: readonly string[]
  readonly allowMissingOrigin?: boolean | undefined
}

/**
 * True if a request with this header Origin may call; undefined: it has none, as requests of native applications.
 * Browsers write the header without a slash at the end, so one with a slash is of no browser.
 */
export function isOriginAllowed(
  origin: string | undefined,
  { allowedOrigins, allowMissingOrigin = false }: OriginSettings,
): boolean {
  if (allowedOrigins.length === 0 || allowedOrigins.includes("*")) return true
  if (origin === undefined) return allowMissingOrigin
  const canonical = origin.endsWith("/") ? undefined : canonicalOrigin(origin)
  return canonical !== undefined && canonical !== "*" && allowedOrigins.includes(canonical)
}
