import { type Span, EvaluationStop } from "./fault.ts"
import type { Frame } from "./frame.ts"
import { Caseless, foldCase, isList, isMembers, type Value } from "./value.ts"

/** Whether two values are equal. @throws {EvaluationStop} where they have different kinds */
export function isSame(one: Value, other: Value, frame: Frame, place: Span): boolean {
  if (typeof one === "string" || one instanceof Caseless) {
    if (typeof other === "string" || other instanceof Caseless) return isSameText(one, other, frame, place)
  } else if (typeof one === typeof other && (typeof one === "bigint" || typeof one === "boolean")) {
    return one === other
  }
  throw mismatch(one, other, place)
}

function isSameText(one: string | Caseless, other: string | Caseless, frame: Frame, place: Span): boolean {
  const [first, second] = [textOf(one), textOf(other)]
  // Folding case keeps the length.
  if (first.length !== second.length) return false
  frame.chargeText(first.length, place)
  if (typeof one === "string" && typeof other === "string") return first === second
  return foldCase(first) === foldCase(second)
}

export function textOf(value: string | Caseless): string {
  return typeof value === "string" ? value : value.text
}

/** Integers alone have an order. */
export function requireIntegers(one: Value, other: Value, place: Span): void {
  if (typeof one !== "bigint" || typeof other !== "bigint") throw mismatch(one, other, place)
}

function mismatch(one: Value, other: Value, place: Span): EvaluationStop {
  return new EvaluationStop("type-mismatch", place, `${kindOf(one)} cannot be compared with ${kindOf(other)}`)
}

/** The value's kind, for messages. */
export function kindOf(value: Value): string {
  if (typeof value === "bigint") return "an integer"
  if (typeof value === "boolean") return "true or false"
  if (typeof value === "string" || value instanceof Caseless) return "a string"
  if (isList(value)) return "a list"
  return isMembers(value) ? "a map" : (value satisfies never)
}
