import { type Checked, nodesOf } from "./checked.ts"
import type { Compiled } from "./compile.ts"
import { shown } from "./hints.ts"
import type { Known, Warning } from "./lint.ts"
import { familyOf, type Type } from "./types.ts"
import { foldCase } from "./value.ts"

type Literal = Extract<Checked, { kind: "literal" }>

/** Comparisons with a literal that can never be true, or are written in a way that misleads. */
export function* lintComparisons({ syntax }: Compiled, known: Known): Generator<Warning> {
  for (const [subject, literal] of comparisonsIn(syntax)) {
    const sentence = adviceOn(subject, literal, known)
    if (sentence !== undefined) yield { offset: literal.offset, length: literal.length, sentence }
  }
}

/** Every value that is compared with a literal, by `==` and its like, `in` or `contains`. */
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

function adviceOn(subject: Checked, { value, quoted }: Literal, known: Known): string | undefined {
  const { type } = subject
  if (quoted === true) return "an integer is written without quotes"
  if (type.kind === "dynamic" && type.asSent === true && typeof value === "bigint") {
    return "where the client sends this value as text, comparing it with an integer is an error"
  }
  if (typeof value !== "string") return undefined
  if (familyOf(type) === "number") return "text that is no integer: this comparison is always an error"
  if (subject.kind === "fold" && value !== foldCase(value)) {
    return "never equal: CaseInsensitiveString gives lower case; wrap both sides"
  }
  return adviceOnText(type, value, known)
}

function adviceOnText(type: Type, text: string, { existing, mistaken }: Known): string | undefined {
  if (type.kind !== "string") return undefined
  const advice = type.advise?.(text)
  if (advice !== undefined) return advice
  if (type.values !== undefined && !type.values.includes(text)) {
    return `never equal: the values are ${type.values.map((value) => `'${value}'`).join(", ")}`
  }
  if (type.meaning === undefined) return undefined
  const wrong = mistaken?.get(type.meaning)?.get(text)
  if (wrong !== undefined) return wrong
  const all = existing?.get(type.meaning)
  return all === undefined || all.has(text)
    ? undefined
    : `never equal: there is no ${wordsOf(type.meaning)} ${shown(text)}`
}

function wordsOf(meaning: string): string {
  return meaning.replaceAll("-", " ")
}
