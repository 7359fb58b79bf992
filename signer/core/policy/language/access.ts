import { kindOf, textOf } from "./compare.ts"
import { excerpt, type Span, EvaluationStop } from "./fault.ts"
import type { Frame } from "./frame.ts"
import { Caseless, fieldNotUsed, isList, isMembers, type Members, type Value } from "./value.ts"

// Fields, keys, elements and slices of values. Positions in strings count Unicode code points.

const SURROGATE = /[\ud800-\udfff]/

export function fieldOf(object: Members, name: string, place: Span): Value {
  const value = object.get(name)
  if (value === fieldNotUsed)
    throw new EvaluationStop("field-not-used", place, `the request does not use ${name}`)
  if (value === undefined) throw new EvaluationStop("missing-field", place, `the request has no ${name}`)
  return value
}

/** The element at an index, or the value of a key. */
export function elementOf(object: Value, key: Value, frame: Frame, place: Span): Value {
  if (isMembers(object)) {
    if (typeof key === "string" || key instanceof Caseless) return valueOf(object, textOf(key), place)
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

function valueOf(object: Members, key: string, place: Span): Value {
  const value = object.get(key)
  if (value !== undefined && value !== fieldNotUsed) return value
  throw new EvaluationStop("missing-key", place, `there is no key '${excerpt(key)}'`)
}

/** Elements or characters from `from` up to, not including, `to`. */
export function sliceOf(object: Value, from: Value, to: Value, frame: Frame, place: Span): Value {
  if (typeof from !== "bigint" || typeof to !== "bigint")
    throw new EvaluationStop("type-mismatch", place, "slices go from integer to integer")
  if (isList(object)) {
    requireWithin(from, to, object.length, place)
    frame.charge(Number(to - from), place)
    return object.slice(Number(from), Number(to))
  }
  if (object instanceof Caseless) return new Caseless(textSlice(object.text, from, to, frame, place))
  if (typeof object === "string") return textSlice(object, from, to, frame, place)
  throw new EvaluationStop("type-mismatch", place, `${kindOf(object)} has no slices`)
}

function textSlice(text: string, from: bigint, to: bigint, frame: Frame, place: Span): string {
  if (!SURROGATE.test(text)) {
    requireWithin(from, to, text.length, place)
    return text.slice(Number(from), Number(to))
  }
  // Code points beyond U+FFFF take two code units each.
  frame.charge(text.length, place)
  const characters = Array.from(text)
  requireWithin(from, to, characters.length, place)
  return characters.slice(Number(from), Number(to)).join("")
}

function requireWithin(from: bigint, to: bigint, length: number, place: Span): void {
  if (from < 0n || from > to || to > length) throw outOfRange(length, place)
}

function outOfRange(length: number, place: Span): EvaluationStop {
  return new EvaluationStop("out-of-range", place, `the length is ${length}`)
}
