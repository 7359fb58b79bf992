import { excerpt, ExpressionFault } from "./fault.ts"
import { MAX_NAME_LENGTH, MAX_UINT } from "./limits.ts"

export type Token =
  | { kind: "name"; text: string; offset: number; length: number }
  | { kind: "string"; text: string; offset: number; length: number }
  | { kind: "int"; value: bigint; offset: number; length: number }
  | { kind: "sign"; text: string; offset: number; length: number }
  | { kind: "end"; offset: number; length: number }

const SIGNS_OF_TWO: ReadonlySet<string> = new Set(["&&", "||", "==", "!=", "<=", ">=", ".."])
const SIGNS_OF_ONE = "<>!()[]{},.:"

// 2^256 has 78 digits.
const MAX_DIGITS = 78

/**
 * Reads the token that begins at or after the offset. One at a time, so that of two mistakes the first in the text
 * is told.
 *
 * @throws ExpressionFault
 */
export function readToken(text: string, from: number): Token {
  let offset = from
  while (offset < text.length && isSpace(text.charCodeAt(offset))) offset += 1
  if (offset === text.length) return { kind: "end", offset, length: 0 }
  const code = text.charCodeAt(offset)
  if (isLetter(code)) return readName(text, offset)
  if (isDigit(code)) return readInteger(text, offset)
  if (code === 0x27) return readString(text, offset)
  return readSign(text, offset)
}

function readName(text: string, offset: number): Token {
  const end = endOfWord(text, offset)
  const span = { offset, length: end - offset }
  if (span.length > MAX_NAME_LENGTH) {
    throw new ExpressionFault("bound", span, "the name is too long", {
      expected: `${MAX_NAME_LENGTH} letters at most`,
    })
  }
  return { kind: "name", text: text.slice(offset, end), ...span }
}

function readInteger(text: string, offset: number): Token {
  const end = endOfWord(text, offset)
  const word = text.slice(offset, end)
  const span = { offset, length: end - offset }
  if (!/^\d+$/.test(word)) {
    throw new ExpressionFault("syntax", span, "not an integer", {
      expected: "an integer",
      found: excerpt(word),
    })
  }
  const digits = word.replace(/^0+/, "")
  const value = digits.length > MAX_DIGITS ? undefined : BigInt(word)
  if (value === undefined || value > MAX_UINT) {
    throw new ExpressionFault("type", span, "the integer does not fit into 256 bits", {
      expected: "an integer below 2^256",
      found: `${digits.length} digits`,
    })
  }
  return { kind: "int", value, ...span }
}

function readString(text: string, offset: number): Token {
  const end = text.indexOf("'", offset + 1)
  if (end >= 0) {
    return { kind: "string", text: text.slice(offset + 1, end), offset, length: end + 1 - offset }
  }
  throw new ExpressionFault("syntax", { offset, length: text.length - offset }, "the string has no end", {
    expected: "'",
    found: "the end of the text",
  })
}

function readSign(text: string, offset: number): Token {
  const two = text.slice(offset, offset + 2)
  if (SIGNS_OF_TWO.has(two)) return { kind: "sign", text: two, offset, length: 2 }
  const one = text.slice(offset, offset + 1)
  if (SIGNS_OF_ONE.includes(one)) return { kind: "sign", text: one, offset, length: 1 }
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0)
  throw new ExpressionFault("syntax", { offset, length: character.length }, "unexpected character", {
    found: excerpt(character),
  })
}

function endOfWord(text: string, offset: number): number {
  let end = offset
  while (end < text.length && (isLetter(text.charCodeAt(end)) || isDigit(text.charCodeAt(end)))) end += 1
  return end
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
