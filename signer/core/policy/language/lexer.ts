import { expressionFault, excerpt } from "./fault.ts"
import { MAX_NAME_LENGTH, MAX_UINT } from "./limits.ts"

export type Token =
  | { kind: "name"; text: string; offset: number; length: number }
  | { kind: "string"; text: string; offset: number; length: number }
  | { kind: "int"; value: bigint; offset: number; length: number }
  | { kind: "sign"; text: string; offset: number; length: number }
  | { kind: "end"; offset: number; length: number }

const SIGNS_OF_TWO: ReadonlySet<string> = new Set(["&&", "||", "==", "!=", "<=", ">=", ".."])
const SIGNS_OF_ONE = "<>!()[]{},.:"
const SPACE = /[ \t-\r]*/y
const WORD = /[A-Za-z0-9_]+/y

// 2^256 has 78 digits.
const MAX_DIGITS = 78

/** Reads the token at or after `from`: one, so that the first mistake is reported. @throws ExpressionFault */
export function readToken(text: string, from: number): Token {
  const offset = endOf(SPACE, text, from)
  if (offset === text.length) return { kind: "end", offset, length: 0 }
  const end = endOf(WORD, text, offset)
  if (end === offset) return text[offset] === "'" ? readString(text, offset) : readSign(text, offset)
  const word = text.slice(offset, end)
  return /^\d/.test(word) ? readInteger(word, offset) : readName(word, offset)
}

/** The end of the match that begins at `from`; `from` itself where there is none. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

function readName(text: string, offset: number): Token {
  const span = { offset, length: text.length }
  if (span.length > MAX_NAME_LENGTH) {
    throw expressionFault("bound", span, "the name is too long", {
      expected: `${MAX_NAME_LENGTH} letters at most`,
    })
  }
  return { kind: "name", text, ...span }
}

function readInteger(word: string, offset: number): Token {
  const span = { offset, length: word.length }
  if (!/^\d+$/.test(word)) {
    throw expressionFault("syntax", span, "not an integer", {
      expected: "an integer",
      found: excerpt(word),
    })
  }
  const digits = word.replace(/^0+/, "")
  const value = digits.length > MAX_DIGITS ? undefined : BigInt(word)
  if (value === undefined || value > MAX_UINT) {
    throw expressionFault("type", span, "the integer does not fit into 256 bits", {
      expected: "an integer below 2^256",
      found: `${digits.length} digits`,
    })
  }
  return { kind: "int", value, ...span }
}

function readString(text: string, offset: number): Token {
  const end = text.indexOf("'", offset + 1)
  if (end >= 0) return { kind: "string", text: text.slice(offset + 1, end), offset, length: end + 1 - offset }
  throw expressionFault("syntax", { offset, length: text.length - offset }, "the string has no end", {
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
  throw expressionFault("syntax", { offset, length: character.length }, "unexpected character", {
    found: excerpt(character),
  })
}
