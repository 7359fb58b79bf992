import { scanJson, StrictJsonError } from "./json-scan.ts"

export { StrictJsonError } from "./json-scan.ts"

/** `maxDepth`: the largest depth of nested arrays and objects; `[]` alone has depth 1. `maxValues`: members and items. */
export type JsonLimits = { maxDepth?: number; maxValues?: number }

/** Far above any message of the interface, and far below the depth at which recursive readers fail. */
const MAX_JSON_DEPTH = 64

/** Members and items of any text: as many as the largest contract interface has if each takes two characters. */
const MAX_JSON_VALUES = 200_000

/** Limits of request bodies. A thousand wallet accounts have 7,000 members and items. */
export const BODY_LIMITS: JsonLimits = { maxValues: 16_384 }

/** Longer texts are scanned before values are built: a million brackets cost milliseconds, not seconds. */
const SCAN_FIRST_LENGTH = 65_536

/** Matches every text with an escape in a member name, and some others: `["a", "\\n"]`. */
const mayEscapeNames = /[{,][ \t\r\n]*"[^"\\]*\\/

/**
 * Reads RFC 8259 JSON that has exactly one reading: no member name twice in an object (after unescaping) or with a
 * quote, backslash or control character, no lone surrogate, no number beyond a double's range, bounded depth and number
 * of values. Integers beyond 2^53 lose digits as in JSON.parse. A member called `__proto__` becomes an own property and
 * nothing else.
 *
 * A short text is parsed and serialized again. If JSON.stringify reproduces it exactly, it holds no name twice:
 * JSON.stringify never writes a name twice, and it writes different names differently. Any other text is scanned:
 * one with white space, other escapes, 1e2, -0, 1e999 (written as null) or integer-like names out of order. So is
 * a text with `\ud`, because JSON.stringify reproduces a lone surrogate such as `\ud800`.
 * @throws {StrictJsonError}
 */
export function parseStrictJson(text: string, limits: JsonLimits = {}): unknown {
  const { maxDepth = MAX_JSON_DEPTH, maxValues = MAX_JSON_VALUES } = limits
  const bounds = { maxDepth, maxValues }
  let value: unknown
  if (text.length > SCAN_FIRST_LENGTH || mayEscapeNames.test(text)) return JSON.parse(scanJson(text, bounds))
  try {
    value = JSON.parse(text)
  } catch {
    scanJson(text, bounds) // throws with the place of the fault
    throw new StrictJsonError("the text is not JSON", 0)
  }
  // The depth is checked first, because JSON.stringify recurses.
  if (
    isBounded(value, maxDepth, { left: maxValues }) &&
    JSON.stringify(value) === text &&
    !text.includes("\\ud")
  )
    return value
  scanJson(text, bounds)
  return value
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** As parseStrictJson, for the bytes of a body: UTF-8 without byte order mark. @throws {StrictJsonError} */
export function parseStrictJsonBytes(bytes: Uint8Array, limits: JsonLimits = {}): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new StrictJsonError("the bytes are not valid UTF-8", 0)
  }
  return parseStrictJson(text, limits)
}

/** A JSON object. Its members may have any name, so only own properties are read. */
export type JsonMembers = { [name: string]: unknown }

export function isJsonObject(value: unknown): value is JsonMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Reads one strict JSON object. @param fault makes the error from the end of a sentence: "is not strict JSON" */
export function readJsonObject(
  source: string | Uint8Array,
  fault: (reason: string, cause?: unknown) => Error,
  limits?: JsonLimits,
): JsonMembers {
  let value: unknown
  try {
    value =
      typeof source === "string" ? parseStrictJson(source, limits) : parseStrictJsonBytes(source, limits)
  } catch (cause) {
    throw fault("is not strict JSON", cause)
  }
  if (isJsonObject(value)) return value
  throw fault("is not a JSON object")
}

/** True if depth, and the number of members and items, stay within their bounds. */
function isBounded(value: unknown, depth: number, budget: { left: number }): boolean {
  if (typeof value !== "object" || value === null) return true
  if (depth === 0) return false
  const children = Array.isArray(value) ? value : Object.values(value)
  budget.left -= children.length
  if (budget.left < 0) return false
  for (const child of children) {
    if (typeof child === "object" && child !== null && !isBounded(child, depth - 1, budget)) return false
  }
  return true
}
