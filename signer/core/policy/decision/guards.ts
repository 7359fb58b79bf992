import { type Checked, childrenOf, nodesOf } from "../language/checked.ts"
import { ClosureBuilder } from "../language/closures.ts"
import { Frame } from "../language/frame.ts"
import { MAX_STEPS } from "../language/limits.ts"
import { familyOf } from "../language/types.ts"
import { Caseless, foldCase, type Value } from "../language/value.ts"
import type { Compiled, RootReader } from "../expression.ts"
import type { CompiledExpression, CompiledPolicy } from "./policy-set.ts"

/** A text that an ALLOW needs: at least one of `texts`. */
export type Guard = {
  /** Dotted name of a field of the request; `APPROVERS`: the id of a user who approved. */
  readonly of: string
  readonly texts: readonly string[]
}

export const APPROVERS = "approvers"

/** A field that a condition reads. */
export type ReadField = {
  readonly name: string
  /** The value; undefined where reading it is a fault or a refusal, which an evaluation will give again. */
  readonly read: (readRoot: RootReader) => Value | undefined
}

/**
 * An ALLOW whose condition has a value on every request that has its fields. Without the texts of one of its guards it is an implicit
 * denial, so it need not be evaluated.
 */
export type GuardedPolicy = {
  readonly guards: readonly Guard[]
  readonly fields: readonly ReadField[]
  /** Roots of the condition. Without one of them the policy is an error, and allows nothing. */
  readonly roots: readonly string[]
}

/** Undefined: the policy must be evaluated for every request, as each DENY. */
export function guardedPolicy({
  effect,
  condition,
  consensus,
  time,
}: CompiledPolicy): GuardedPolicy | undefined {
  if (effect !== "allow" || time !== "absent") return undefined
  const [ofCondition, ofConsensus] = [conditionOf(condition), guardsOfConsensus(consensus)]
  if (ofCondition === undefined || ofConsensus === undefined) return undefined
  const guards = [...ofCondition.guards, ...ofConsensus]
  return guards.length === 0 ? undefined : { ...ofCondition, guards }
}

const conditions = new WeakMap<Compiled, GuardedPolicy | "unguarded">()

function conditionOf(condition: CompiledExpression): GuardedPolicy | undefined {
  if (condition === "absent") return { guards: [], fields: [], roots: [] }
  if (condition === "broken") return undefined
  const known = conditions.get(condition) ?? analyse(condition)
  conditions.set(condition, known)
  return known === "unguarded" ? undefined : known
}

function analyse({ syntax, program }: Compiled): GuardedPolicy | "unguarded" {
  const fields = new Map<string, ReadField>()
  if (!hasValue(syntax, fields)) return "unguarded"
  const guards = conjunctsOf(syntax).flatMap((part) => guardOf(part) ?? [])
  return { guards, fields: [...fields.values()], roots: program.roots }
}

/** True if a condition is made of comparisons of fields with literals alone: then it has a value if each field has one. */
function hasValue(node: Checked, fields: Map<string, ReadField>): boolean {
  const name = fieldName(node)
  if (name !== undefined) {
    if (!["bool", "int", "uint", "string"].includes(node.type.kind)) return false
    if (!fields.has(name)) fields.set(name, { name, read: readerOf(node) })
    return true
  }
  switch (node.kind) {
    case "literal":
      return true
    case "list":
      return node.items.every(({ kind, type }) => kind === "literal" && type.kind === "string")
    case "compare":
      return isComparable(node) && childrenOf(node).every((child) => hasValue(child, fields))
    case "membership":
      return node.item.type.kind === "string" && childrenOf(node).every((child) => hasValue(child, fields))
    case "not":
    case "and":
    case "or":
      return childrenOf(node).every((child) => hasValue(child, fields))
    default:
      return false
  }
}

/** False for an integer beside a text: the language has fields that may be compared so, which is a fault. */
function isComparable({ left, right }: Extract<Checked, { kind: "compare" }>): boolean {
  return familyOf(left.type) === familyOf(right.type)
}

/** Dotted name of a field of a root, such as `wallet.id`; undefined for any other node. */
function fieldName(node: Checked): string | undefined {
  if (node.kind !== "field") return undefined
  if (node.object.kind === "root") return `${node.object.root}.${node.name}`
  const object = fieldName(node.object)
  return object && `${object}.${node.name}`
}

function readerOf(node: Checked): ReadField["read"] {
  const builder = new ClosureBuilder()
  const run = builder.closure(node)
  return (readRoot) => {
    try {
      return run(new Frame(builder.roots.map(readRoot), MAX_STEPS))
    } catch {
      return undefined
    }
  }
}

/** The parts that all must be true. */
function conjunctsOf(node: Checked): readonly Checked[] {
  return node.kind === "and" ? node.parts.flatMap(conjunctsOf) : [node]
}

/** The texts, one of which a field must have for a part to be true: `field == 'text'`, `field in ['text', …]`. */
function guardOf(part: Checked): Guard | undefined {
  if (part.kind === "membership") return guardIn(part.item, part.list.kind === "list" ? part.list.items : [])
  if (part.kind !== "compare" || part.operator !== "==") return undefined
  return guardIn(part.left, [part.right]) ?? guardIn(part.right, [part.left])
}

function guardIn(field: Checked, literals: readonly Checked[]): Guard | undefined {
  const of = fieldName(field)
  const texts = literals.flatMap((one) =>
    one.kind === "literal" && typeof one.value === "string" ? [one.value] : [],
  )
  if (of === undefined || texts.length === 0 || texts.length !== literals.length) return undefined
  return { of, texts }
}

/**
 * The guards of a consensus that always has a value; undefined: it may have none. Votes have all their members, so only a place in a
 * list or a text can be missing. `approvers.any(u, u.id == 'x')` needs the vote of x, and no vote of anyone else contributes to it; a
 * vote contributes to any other consensus whose condition holds.
 */
function guardsOfConsensus(consensus: CompiledExpression): readonly Guard[] | undefined {
  if (typeof consensus === "string") return consensus === "absent" ? [] : undefined
  const { syntax } = consensus
  for (const { kind, type } of nodesOf(syntax))
    if (kind === "bracket" || kind === "slice" || type.kind === "dynamic") return undefined
  if (syntax.kind !== "quantifier" || syntax.quantifier !== "any") return []
  const { object, body } = syntax
  if (object.kind !== "root" || object.root !== APPROVERS) return []
  if (body.kind !== "compare" || body.operator !== "==") return []
  const text = textOfId(body.left, body.right) ?? textOfId(body.right, body.left)
  return text === undefined ? [] : [{ of: APPROVERS, texts: [text] }]
}

function textOfId(id: Checked, literal: Checked): string | undefined {
  if (id.kind !== "field" || id.name !== "id" || id.object.kind !== "variable") return undefined
  return literal.kind === "literal" && typeof literal.value === "string" ? literal.value : undefined
}

/** Where a guard's text is looked up: a value is equal to a text in its case, or in any. */
export class GuardedTexts {
  readonly #exact = new Map<string, number[]>()
  readonly #folded = new Map<string, number[]>()

  add(text: string, position: number): void {
    addTo(this.#exact, text, position)
    addTo(this.#folded, foldCase(text), position)
  }

  /** Positions of the policies that one value lets through. */
  find(value: Value | undefined): readonly number[] {
    if (typeof value === "string") return this.#exact.get(value) ?? []
    return value instanceof Caseless ? (this.#folded.get(foldCase(value.text)) ?? []) : []
  }
}

function addTo(map: Map<string, number[]>, text: string, position: number): void {
  const known = map.get(text)
  if (known === undefined) map.set(text, [position])
  else known.push(position)
}
