import { type Checked, nodesOf } from "../../signer/core/policy/language/checked.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import { excerpt } from "../../signer/core/policy/language/fault.ts"
import type { KnownNames, Warning } from "./warning.ts"
import { familyOf, type StringType, type Type } from "../../signer/core/policy/language/types.ts"
import { foldCase } from "../../signer/core/policy/language/value.ts"

type Literal = Extract<Checked, { kind: "literal" }>

/** Comparisons with a literal that can never be true, or that mislead. */
export function* lintComparisons({ syntax }: Compiled, known: KnownNames): Generator<Warning> {
  for (const [subject, literal] of comparisonsIn(syntax)) {
    const sentence = adviceOn(subject, literal, known)
    if (sentence !== undefined) yield { offset: literal.offset, length: literal.length, sentence }
  }
}

/** Every pair of a value and the literal that it is compared with, by an operator, `in` or `contains`. */
function* comparisonsIn(tree: Checked): Generator<[subject: Checked, literal: Literal]> {
  for (const node of nodesOf(tree)) {
    if (node.kind === "compare") {
      if (node.right.kind === "literal") yield [node.left, node.right]
      else if (node.left.kind === "literal") yield [node.right, node.left]
    }
    if (node.kind !== "membership") continue
    const { item, list } = node
    if (item.kind === "literal" && list.type.kind === "list") yield [{ ...list, type: list.type.of }, item]
    for (const one of list.kind === "list" ? list.items : []) if (one.kind === "literal") yield [item, one]
  }
}

function adviceOn(subject: Checked, { value, quoted }: Literal, known: KnownNames): string | undefined {
  const { type } = subject
  if (quoted === true) return "an integer is written without quotes"
  if (typeof value !== "string") return undefined
  if (familyOf(type) === "number") return "text that is no integer: this comparison is always an error"
  if (subject.kind === "fold" && value !== foldCase(value)) {
    return "never equal: CaseInsensitiveString gives lower case; wrap both sides"
  }
  const { spelling } = { ...stringTypeOf(slicedFrom(subject)) }
  return (spelling && adviceOnSpelling(spelling, value)) ?? adviceOnText(type, value, known)
}

/** The value that a slice or a character is taken of. */
function slicedFrom(node: Checked): Checked {
  const isPart = node.kind === "slice" || (node.kind === "bracket" && node.object.type.kind === "string")
  return isPart ? slicedFrom(node.object) : node
}

function stringTypeOf({ type }: Pick<Checked, "type">): StringType | undefined {
  return type.kind === "string" ? type : undefined
}

function adviceOnText(type: Type, text: string, { existing, mistaken }: KnownNames): string | undefined {
  if (type.kind !== "string") return undefined
  if (type.values !== undefined && !type.values.includes(text)) {
    return `never equal: the values are ${type.values.map((value) => `'${value}'`).join(", ")}`
  }
  if (type.refersTo === undefined) return undefined
  const wrong = mistaken?.get(type.refersTo)?.get(text)
  if (wrong !== undefined) return wrong
  const all = existing?.get(type.refersTo)
  return all === undefined || all.has(text)
    ? undefined
    : `never equal: there is no ${wordsOf(type.refersTo)} ${excerpt(text)}`
}

function adviceOnSpelling(spelling: NonNullable<StringType["spelling"]>, text: string): string | undefined {
  switch (spelling) {
    case "lower-case-hex":
      // A slice of such a value has no 0x.
      return /^(?:0x)?(?=.*[A-F])[0-9a-fA-F]+$/.test(text)
        ? "it is hexadecimal in lower case and compared exactly"
        : undefined
    case "eip-55":
      // In EIP-55 almost every address has a capital letter, so this one lacks its checksum.
      return /^0x(?=.*[a-f])[0-9a-f]{40}$/.test(text)
        ? "addresses of Ethereum accounts are compared exactly, in the mixed case of EIP-55"
        : undefined
    default:
      return spelling satisfies never
  }
}

function wordsOf(meaning: string): string {
  return meaning.replaceAll("-", " ")
}
