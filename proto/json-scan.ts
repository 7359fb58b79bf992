/** A text is not strict JSON. `message` is one sentence for the caller and never quotes the text itself. */
export class StrictJsonError extends Error {
  /** Offset of the fault in UTF-16 code units; 0 when the bytes are not UTF-8. */
  readonly position: number

  constructor(sentence: string, position: number) {
    super(`${sentence} (at position ${position})`)
    this.name = "StrictJsonError"
    this.position = position
  }
}

/**
 * Scans a text by the grammar of RFC 8259, without building values. Also refuses some texts that JSON.parse accepts:
 * a name twice in one object, a name with a quote, backslash or control character, lone surrogates, numbers that
 * overflow to Infinity, depth over `maxDepth`, and more than `maxValues` members and items in all.
 * @returns the same JSON with no escape in a member name: the only form that JSON.parse may be given (docs/choices,
 * C-749)
 * @throws {StrictJsonError}
 */
export function scanJson(text: string, { maxDepth, maxValues }: ScanBounds): string {
  if (text.charCodeAt(0) === 0xfeff) throw new StrictJsonError("a byte order mark is not allowed", 0)
  if (text.length > maxValues) requireFewSeparators(text, maxValues)
  const scan: Scan = { left: maxValues + 1, escapedNames: [] }
  const end = skipSpace(text, scanValue(text, skipSpace(text, 0), maxDepth, scan))
  if (end < text.length) throw new StrictJsonError("text follows the JSON value", end)
  return withoutEscapes(text, scan.escapedNames)
}

function withoutEscapes(text: string, names: EscapedName[]): string {
  let at = 0
  let plain = ""
  for (const { name, open, end } of names) {
    plain += `${text.slice(at, open)}"${name}"`
    at = end
  }
  return plain + text.slice(at)
}

export type ScanBounds = { maxDepth: number; maxValues: number }

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

/** Each comma outside strings separates two values. Counting them costs a twentieth of reading the values. */
function requireFewSeparators(text: string, maxValues: number): void {
  let left = maxValues
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) isString = !isString
    else if (isString && unit === BACKSLASH) at++
    else if (!isString && unit === COMMA && --left === 0) throw tooMany(at)
  }
}

function tooMany(at: number): StrictJsonError {
  return new StrictJsonError("the JSON has too many members and items", at)
}

/** `left`: values that may still come. `escapedNames`: member names with an escape, in the order of the text. */
type Scan = { left: number; escapedNames: EscapedName[] }
/** `name` without escapes; its token is at [open, end). */
type EscapedName = { name: string; open: number; end: number }

/** Offset behind the value that starts at `at`. Recursion is bounded by `depth`. */
function scanValue(text: string, at: number, depth: number, scan: Scan): number {
  scan.left -= 1
  if (scan.left < 0) throw tooMany(at)
  switch (text[at]) {
    case undefined:
      throw new StrictJsonError("the JSON ends early", at)
    case "{":
      return scanObject(text, at, requireDepth(depth, at), scan)
    case "[":
      return scanArray(text, at, requireDepth(depth, at), scan)
    case '"':
      return scanString(text, at)
    case "t":
      return scanWord(text, at, "true")
    case "f":
      return scanWord(text, at, "false")
    case "n":
      return scanWord(text, at, "null")
    default:
      return scanNumber(text, at)
  }
}

function requireDepth(depth: number, at: number): number {
  if (depth === 0) throw new StrictJsonError("the JSON is nested too deeply", at)
  return depth - 1
}

function scanObject(text: string, open: number, depth: number, scan: Scan): number {
  const names = new Set<string>()
  let at = skipSpace(text, open + 1)
  if (text[at] === "}") return at + 1
  for (;;) {
    if (text[at] !== '"') throw new StrictJsonError("a member name is expected", at)
    const nameEnd = scanString(text, at)
    const name = readString(text, at, nameEnd)
    if (name.length !== nameEnd - at - 2)
      scan.escapedNames.push({ name: requirePlain(name, at), open: at, end: nameEnd })
    if (names.has(name)) throw new StrictJsonError("a member name occurs twice in one object", at)
    names.add(name)
    at = skipSpace(text, nameEnd)
    if (text[at] !== ":") throw new StrictJsonError("a colon is expected", at)
    at = skipSpace(text, scanValue(text, skipSpace(text, at + 1), depth, scan))
    if (text[at] === "}") return at + 1
    if (text[at] !== ",") throw new StrictJsonError("a comma or a closing brace is expected", at)
    at = skipSpace(text, at + 1)
  }
}

/** A name that can be written without an escape. */
function requirePlain(name: string, at: number): string {
  if (JSON.stringify(name).length === name.length + 2) return name
  throw new StrictJsonError("a member name holds a quote, a backslash or a control character", at)
}

function scanArray(text: string, open: number, depth: number, scan: Scan): number {
  let at = skipSpace(text, open + 1)
  if (text[at] === "]") return at + 1
  for (;;) {
    at = skipSpace(text, scanValue(text, at, depth, scan))
    if (text[at] === "]") return at + 1
    if (text[at] !== ",") throw new StrictJsonError("a comma or a closing bracket is expected", at)
    at = skipSpace(text, at + 1)
  }
}

const singleEscapes = new Set('"\\/bfnrt')
const fourHexDigits = /^[0-9a-fA-F]{4}$/

/** RFC 8259 §7: no control characters, nine escapes; §8.2: no half of a surrogate pair. */
function scanString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20) throw new StrictJsonError("a string holds a control character", at)
    if (unit === 0x22) {
      if (!readString(text, open, at + 1).isWellFormed())
        throw new StrictJsonError("a string holds half a surrogate pair", open)
      return at + 1
    }
    if (unit === 0x5c) at = scanEscape(text, at)
  }
  throw new StrictJsonError("the JSON ends early", text.length)
}

/** Offset of the last character of the escape whose backslash is at `at`. */
function scanEscape(text: string, at: number): number {
  if (singleEscapes.has(text.charAt(at + 1))) return at + 1
  if (text[at + 1] === "u" && fourHexDigits.test(text.slice(at + 2, at + 6))) return at + 5
  throw new StrictJsonError("a string holds a malformed escape", at)
}

/** The value of the string token between the two offsets. */
function readString(text: string, open: number, end: number): string {
  const inner = text.slice(open + 1, end - 1)
  return inner.includes("\\") ? (JSON.parse(text.slice(open, end)) as string) : inner
}

// RFC 8259 §6.
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

function scanNumber(text: string, start: number): number {
  const end = matchAt(numberPattern, text, start)
  if (end === undefined) throw new StrictJsonError("a value is expected", start)
  if (!Number.isFinite(Number(text.slice(start, end))))
    throw new StrictJsonError("the number is too large", start)
  return end
}

function scanWord(text: string, at: number, word: string): number {
  if (!text.startsWith(word, at)) throw new StrictJsonError("a value is expected", at)
  return at + word.length
}

/** Offset behind the white space of RFC 8259 §2. JavaScript's white space has more characters. */
function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && " \t\n\r".includes(text.charAt(at))) at++
  return at
}

function matchAt(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex : undefined
}
