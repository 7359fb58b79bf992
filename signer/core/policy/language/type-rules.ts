import { expressionFault, type Span, type ExpressionFault } from "./fault.ts"
import { type Checked, literalType, checkedNode } from "./checked.ts"
import { MAX_UINT, MIN_INT256 } from "./limits.ts"
import { bool, commonType, dynamic, familyOf, nameOfType, string, type Type } from "./types.ts"

export function isBool(type: Type): boolean {
  return isFamily(type, "bool")
}

export function isFamily(type: Type, family: "bool" | "number" | "string"): boolean {
  const own = familyOf(type)
  return own === family || own === "dynamic"
}

export function typeFault(place: Span, sentence: string, expected: string, found: Type): ExpressionFault {
  return expressionFault("type", place, sentence, { expected, found: nameOfType(found) })
}

export function elementType(object: Checked, key: Checked): Type {
  const { type } = object
  switch (type.kind) {
    case "map":
      if (isFamily(key.type, "string")) return type.of
      throw typeFault(key, "keys of a map are strings", "string", key.type)
    case "list":
      if (isFamily(key.type, "number")) return type.of
      throw typeFault(key, "an index is an integer", "int", key.type)
    case "string":
      if (isFamily(key.type, "number")) return string
      throw typeFault(key, "an index is an integer", "int", key.type)
    case "dynamic":
      if (isFamily(key.type, "number") || isFamily(key.type, "string")) return type
      throw typeFault(key, "brackets hold an index or a key", "int or string", key.type)
    case "struct":
      throw expressionFault("type", key, `fields of ${type.name} are read with a dot`)
    case "bool":
    case "int":
    case "uint":
    case "timestamp":
      throw typeFault(object, "only maps, lists and strings have elements", "map, list or string", type)
    default:
      return type satisfies never
  }
}

/** `item in list`, or `list.contains(item)`. */
export function membership(place: Span, item: Checked, listed: Checked, itemFirst: boolean): Checked {
  const of = listed.type.kind === "list" ? listed.type.of : dynamic
  if (listed.kind === "list") {
    const items = listed.items.map((one) => unquoted(one, item))
    const member = listed.items.reduce((one, against) => unquoted(one, against), item)
    for (const one of items) requireComparable(member, one)
    const type: Type = {
      kind: "list",
      of: items
        .map((one) => one.type)
        .reduce((one, other) => commonType(one, other) ?? dynamic, items[0]?.type ?? of),
    }
    const list = checkedNode(listed, type, { kind: "list", items })
    return checkedNode(place, bool, { kind: "membership", item: member, list, itemFirst })
  }
  const one = unquoted(item, listed)
  requireSame(one, of, item)
  return checkedNode(place, bool, { kind: "membership", item: one, list: listed, itemFirst })
}

/**
 * A string of decimal digits compared with integers is read as that integer. Beside a value that is known only at
 * evaluation it is converted if that value is an integer, and may then be negative. No other value is converted.
 * @param isOrder the comparison is of integers: `<`, `>`, `<=` or `>=`
 */
export function unquoted(node: Checked, against: Checked, isOrder = false): Checked {
  if (node.kind !== "literal" || typeof node.value !== "string") return node
  if (against.kind === "literal" || against.kind === "list") return node
  const type = against.type.kind === "list" ? against.type.of : against.type
  const isDynamic = type.kind === "dynamic"
  const integer = readDecimal(node.value)
  if (integer === undefined || (integer < 0n && !isDynamic)) return node
  if (isDynamic && !isOrder)
    return checkedNode(node, node.type, { kind: "literal", value: node.value, decimal: integer })
  if (!isDynamic && familyOf(type) !== "number") return node
  return checkedNode(node, literalType(integer), { kind: "literal", value: integer, quoted: true })
}

/** Undefined for any other text, and for an integer that no type holds. */
function readDecimal(text: string): bigint | undefined {
  if (!/^-?\d{1,78}$/.test(text)) return undefined
  const integer = BigInt(text)
  return integer < MIN_INT256 || integer > MAX_UINT ? undefined : integer
}

export function requireComparable(left: Checked, right: Checked): void {
  if (isLeftToEvaluation(left, right.type) || isLeftToEvaluation(right, left.type)) return
  requireSame(left, right.type, right)
}

export function requireOrdered(operand: Checked, operator: string): void {
  if (isFamily(operand.type, "number") || operand.type.kind === "timestamp") return
  throw typeFault(operand, `${operator} compares integers or instants`, "int or timestamp", operand.type)
}

/** Text compared with a quotable integer: the comparison is a fault at evaluation, not here. */
function isLeftToEvaluation(node: Checked, against: Type): boolean {
  return (
    node.kind === "literal" &&
    node.type.kind === "string" &&
    against.kind === "int" &&
    against.quotable === true
  )
}

function requireSame(left: Checked, right: Type, place: Checked): void {
  const [one, other] = [familyOf(left.type), familyOf(right)]
  const fits = one === other || one === "dynamic" || other === "dynamic"
  if (one !== "none" && other !== "none" && fits) return
  if (one === "none")
    throw typeFault(left, `${nameOfType(left.type)} cannot be compared`, "a simple value", left.type)
  if (other === "none")
    throw typeFault(place, `${nameOfType(right)} cannot be compared`, "a simple value", right)
  throw typeFault(place, "both sides of a comparison have one type", nameOfType(left.type), right)
}
