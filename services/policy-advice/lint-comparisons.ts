import type { Checked } from "../../signer/core/policy/language/checked.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import { excerpt } from "../../signer/core/policy/language/fault.ts"
import { type ComparedLiteral, comparedLiterals } from "./comparisons.ts"
import { adviceOnLetters, adviceOnSpelling, type ComparedPart, WHOLE } from "./lint-spelling.ts"
import type { OrganizationNames, Warning } from "./warning.ts"
import { familyOf, type StringType, type Type } from "../../signer/core/policy/language/types.ts"
import { foldCase } from "../../signer/core/policy/language/value.ts"

/** Comparisons with a literal that can never be true, or that mislead. */
export function* lintComparisons({ syntax }: Compiled, known: OrganizationNames): Generator<Warning> {
  for (const { subject, literal } of comparedLiterals(syntax)) {
    const sentence = adviceOn(subject, literal, known)
    if (sentence !== undefined) yield { offset: literal.offset, length: literal.length, sentence }
  }
}

function adviceOn(
  subject: Checked,
  { value, quoted }: ComparedLiteral["literal"],
  known: OrganizationNames,
): string | undefined {
  const { type } = subject
  if (quoted === true) return "an integer is written without quotes"
  if (typeof value !== "string") return undefined
  if (familyOf(type) === "number") return "text that is no integer: this comparison is always an error"
  if (subject.kind === "fold" && value !== foldCase(value)) {
    return "never equal: CaseInsensitiveString gives lower case; wrap both sides"
  }
  const whole = slicedFrom(subject)
  const shown = stringTypeOf(whole)
  return (
    adviceOnLetters(shown, value) ??
    adviceOnText(type, value, known) ??
    adviceOnSpelling(shown?.spelling, value, partOf(subject, whole)) ??
    adviceOnLength(subject, value)
  )
}

/** The place of a part in the value that it is taken of; `from` is undefined where the expression computes it. */
function partOf(subject: Checked, whole: Checked): ComparedPart {
  if (subject === whole) return WHOLE
  const isDirect = "object" in subject && subject.object === whole
  return { isWhole: false, from: isDirect ? boundsOf(subject)?.from : undefined }
}

/** The bounds of a slice or a character, where they are written as numbers. */
function boundsOf(node: Checked): { from: number; to: number } | undefined {
  if (node.kind === "bracket" && node.object.type.kind === "string") {
    const at = numberOf(node.key)
    return at === undefined ? undefined : { from: at, to: at + 1 }
  }
  const [from, to] = node.kind === "slice" ? [numberOf(node.from), numberOf(node.to)] : []
  return from === undefined || to === undefined ? undefined : { from, to }
}

function numberOf(node: Checked): number | undefined {
  return node.kind === "literal" && typeof node.value === "bigint" ? Number(node.value) : undefined
}

/** A slice has as many characters as its bounds say: no text of another length equals it. */
function adviceOnLength(subject: Checked, text: string): string | undefined {
  const bounds = boundsOf(subject)
  const length = Array.from(text).length
  if (bounds === undefined || length === bounds.to - bounds.from) return undefined
  const { from, to } = bounds
  const characters = to - from === 1 ? "one character" : `${to - from} characters`
  return `never equal: it is ${characters}, and this text has ${length}; write [${from}..${from + length}]`
}

/** The value that a slice or a character is taken of. */
function slicedFrom(node: Checked): Checked {
  const isPart = node.kind === "slice" || (node.kind === "bracket" && node.object.type.kind === "string")
  return isPart ? slicedFrom(node.object) : node
}

function stringTypeOf({ type }: Pick<Checked, "type">): StringType | undefined {
  return type.kind === "string" ? type : undefined
}

function adviceOnText(
  type: Type,
  text: string,
  { existing, mistaken }: OrganizationNames,
): string | undefined {
  if (type.kind !== "string") return undefined
  const isValue = (value: string) =>
    type.caseless === true ? foldCase(value) === foldCase(text) : value === text
  if (type.values !== undefined && !type.values.some(isValue)) {
    return `never equal: the values are ${type.values.map((value) => `'${value}'`).join(", ")}`
  }
  if (type.refersTo === undefined) return undefined
  const wrong = mistaken?.get(type.refersTo)?.get(text)
  if (wrong !== undefined) return wrong
  const all = existing?.get(type.refersTo)
  const lower = text.toLowerCase()
  if (text !== lower && (all?.has(lower) === true || UUID.test(lower)))
    return `never equal: ids are in lower case; write '${lower}'`
  return all === undefined || all.has(text)
    ? undefined
    : `never equal: there is no ${wordsOf(type.refersTo)} ${excerpt(text)}`
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function wordsOf(meaning: string): string {
  return meaning.replaceAll("-", " ")
}
