import { EvaluationStop, excerpt, type Span } from "./fault.ts"
import type { Frame } from "./frame.ts"
import {
  Caseless,
  fieldNotUsed,
  foldCase,
  isList,
  isMembers,
  type Members,
  UnreadableValue,
  type Value,
} from "./value.ts"
import { nameOfType, type Type } from "./types.ts"
import { MAX_INT, MAX_TIMESTAMP, MAX_UINT, MIN_INT, MIN_INT256 } from "./limits.ts"

/** True if two values are equal. @throws {EvaluationStop} where they have different kinds */
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
  frame.chargeFold(first.length, place)
  frame.chargeFold(second.length, place)
  return foldCase(first) === foldCase(second)
}

export function textOf(value: string | Caseless): string {
  return typeof value === "string" ? value : value.text
}

export function requireIntegers(one: Value, other: Value, place: Span): void {
  if (typeof one !== "bigint" || typeof other !== "bigint") throw mismatch(one, other, place)
}

function mismatch(one: Value, other: Value, place: Span): EvaluationStop {
  return new EvaluationStop("type-mismatch", place, `${kindOf(one)} cannot be compared with ${kindOf(other)}`)
}

export function kindOf(value: Value): string {
  if (typeof value === "bigint") return "an integer"
  if (typeof value === "boolean") return "true or false"
  if (typeof value === "string" || value instanceof Caseless) return "a string"
  if (isList(value)) return "a list"
  return isMembers(value) ? "a map" : (value satisfies never)
}

// Fields, keys, elements and slices of values. Positions in strings count Unicode code points.

const SURROGATE = /[\ud800-\udfff]/

/** @throws TRANSACTION_INVALID for an unreadable value */
export function fieldOf(object: Members, name: string, place: Span): Value {
  const value = object.get(name)
  if (value instanceof UnreadableValue) throw value.refusal
  if (value === fieldNotUsed)
    throw new EvaluationStop("field-not-used", place, `the request does not use ${name}`)
  if (value === undefined) throw new EvaluationStop("missing-field", place, `the request has no ${name}`)
  return value
}

export function elementOf(object: Value, key: Value, frame: Frame, place: Span): Value {
  if (isMembers(object)) {
    if (typeof key === "string" || key instanceof Caseless) {
      frame.chargeText(textOf(key).length, place)
      return valueOf(object, textOf(key), place)
    }
    throw new EvaluationStop("type-mismatch", place, `keys of a map are strings, not ${kindOf(key)}`)
  }
  if (typeof key !== "bigint")
    throw new EvaluationStop("type-mismatch", place, `${kindOf(object)} has no keys`)
  if (isList(object)) {
    const element = key < 0n ? undefined : object[Number(key)]
    if (element === undefined) throw outOfRange(object.length, place)
    return element
  }
  return sliceOf(object, key, key + 1n, frame, place)
}

/** @throws TRANSACTION_INVALID for an unreadable value */
function valueOf(object: Members, key: string, place: Span): Value {
  const value = object.get(key)
  if (value instanceof UnreadableValue) throw value.refusal
  if (value !== undefined && value !== fieldNotUsed) return value
  throw new EvaluationStop("missing-key", place, `there is no key '${excerpt(key)}'`)
}

/** Elements or characters from `from` up to, not including, `to`. */
export function sliceOf(object: Value, from: Value, to: Value, frame: Frame, place: Span): Value {
  if (typeof from !== "bigint" || typeof to !== "bigint")
    throw new EvaluationStop("type-mismatch", place, "the bounds of a slice are integers")
  if (isList(object)) {
    requireWithin(from, to, object.length, place)
    frame.charge(Number(to - from), place)
    return object.slice(Number(from), Number(to))
  }
  if (object instanceof Caseless) return new Caseless(textSlice(object.text, from, to, frame, place))
  if (typeof object === "string") return textSlice(object, from, to, frame, place)
  throw new EvaluationStop("type-mismatch", place, `${kindOf(object)} has no slices`)
}

/** Only the text up to the slice's end is looked at, and charged: the rest may be long. */
function textSlice(text: string, from: bigint, to: bigint, frame: Frame, place: Span): string {
  // A code point has at least one code unit.
  if (from < 0n || from > to || to > text.length) throw pastEnd(place)
  frame.chargeText(Number(to), place)
  const start = afterCodePoints(text, 0, Number(from), frame, place)
  return text.slice(start, afterCodePoints(text, start, Number(to - from), frame, place))
}

/** The position after so many code points from a position on. Code points beyond U+FFFF have two code units. */
function afterCodePoints(text: string, start: number, count: number, frame: Frame, place: Span): number {
  const end = start + count
  if (end <= text.length && !SURROGATE.test(text.slice(start, end))) return end
  frame.chargeText(Math.min(2 * count, text.length - start), place)
  let at = start
  for (let passed = 0; passed < count; passed++) {
    if (at >= text.length) throw pastEnd(place)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }
  return at
}

function pastEnd(place: Span): EvaluationStop {
  return new EvaluationStop("out-of-range", place, "the text is shorter")
}

function requireWithin(from: bigint, to: bigint, length: number, place: Span): void {
  if (from < 0n || from > to || to > length) throw outOfRange(length, place)
}

function outOfRange(length: number, place: Span): EvaluationStop {
  return new EvaluationStop("out-of-range", place, `the length is ${length}`)
}

/** Returns the value as its declared type has it. @throws {EvaluationStop} */
export type ValueCheck = (value: Value) => Value

/** Makes the check that a value of a root or field has its declared type and range. */
export function valueCheck(type: Type, place: Span): ValueCheck {
  const wrong = () =>
    new EvaluationStop("type-mismatch", place, `the value is not of its type: ${nameOfType(type)}`)
  const only =
    (fits: (value: Value) => boolean): ValueCheck =>
    (value) => {
      if (fits(value)) return value
      throw wrong()
    }
  switch (type.kind) {
    case "bool":
      return only((value) => typeof value === "boolean")
    case "int":
      return between(MIN_INT, MAX_INT, place, wrong)
    case "uint":
      return between(0n, MAX_UINT, place, wrong)
    case "timestamp":
      return between(0n, MAX_TIMESTAMP, place, wrong)
    case "string":
      if (type.caseless !== true)
        return only((value) => typeof value === "string" || value instanceof Caseless)
      return (value) => {
        if (typeof value === "string") return new Caseless(value)
        if (value instanceof Caseless) return value
        throw wrong()
      }
    case "list":
      return only(isList)
    case "struct":
    case "map":
      return only(isMembers)
    case "dynamic": {
      const integer = between(MIN_INT256, MAX_UINT, place, wrong)
      return (value) => (typeof value === "bigint" ? integer(value) : value)
    }
    default:
      return type satisfies never
  }
}

function between(least: bigint, most: bigint, place: Span, wrong: () => EvaluationStop): ValueCheck {
  return (value) => {
    if (typeof value !== "bigint") throw wrong()
    if (value >= least && value <= most) return value
    throw new EvaluationStop("number-range", place, "the integer does not fit its type")
  }
}
