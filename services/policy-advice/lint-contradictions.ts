import { type Checked, childrenOf } from "../../signer/core/policy/language/checked.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import { foldCase } from "../../signer/core/policy/language/value.ts"
import type { Warning } from "./warning.ts"

/** Values that one expression must have: one of `equal`, and an integer between `least` and `most`. */
type Demands = { readonly equal: Set<string | bigint | boolean>; least?: bigint; most?: bigint }

/** Warns where parts of an `&&` ask one expression for two values, or for a number that does not exist. */
export function* lintContradictions({ syntax, text }: Compiled): Generator<Warning> {
  yield* lintNode(syntax, text)
}

function* lintNode(node: Checked, text: string): Generator<Warning> {
  const all = new Map<string, Demands>()
  for (const part of partsOf(node)) {
    collect(part, text, all)
    for (const child of childrenOf(part)) yield* lintNode(child, text)
  }
  for (const [subject, demands] of all) {
    const why = faultOf(demands)
    if (why === undefined) continue
    yield { offset: node.offset, length: node.length, sentence: `never true: ${subject} ${why}` }
  }
}

/** The parts of an `&&`, also of those within its parentheses. */
function partsOf(node: Checked): readonly Checked[] {
  return node.kind === "and" ? node.parts.flatMap(partsOf) : [node]
}

function collect(part: Checked, text: string, all: Map<string, Demands>): void {
  if (part.kind !== "compare") return
  const isFirst = part.right.kind === "literal"
  const [subject, literal] = isFirst ? [part.left, part.right] : [part.right, part.left]
  // Windows of time have warnings of their own.
  if (literal.kind !== "literal" || subject.kind === "literal" || subject.type.kind === "timestamp") return
  const name = text.slice(subject.offset, subject.offset + subject.length)
  const demands = all.get(name) ?? { equal: new Set() }
  all.set(name, demands)
  const { value } = literal
  const isCaseless = subject.type.kind === "string" && subject.type.caseless === true
  const isEqual = part.operator === "=="
  if (isEqual) demands.equal.add(isCaseless && typeof value === "string" ? foldCase(value) : value)
  if (typeof value !== "bigint" || part.operator === "!=") return
  const isAbove = part.operator.startsWith(isFirst ? ">" : "<")
  const step = part.operator.endsWith("=") ? 0n : 1n
  if (isEqual || isAbove) demands.least = larger(value + step, demands.least)
  if (isEqual || !isAbove)
    demands.most = -larger(step - value, demands.most === undefined ? undefined : -demands.most)
}

function larger(one: bigint, other: bigint | undefined): bigint {
  return other === undefined || one > other ? one : other
}

function faultOf({ equal, least, most }: Demands): string | undefined {
  if (equal.size > 1)
    return `cannot be ${[...equal].map((one) => `${typeof one === "string" ? `'${one}'` : one}`).join(" and ")} at once; write ||, or two policies`
  if (least === undefined || most === undefined || least <= most) return undefined
  return `cannot be at least ${least} and at most ${most}`
}
