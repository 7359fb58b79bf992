import { type Span, EvaluationStop } from "./fault.ts"
import { MAX_INT, MAX_TIMESTAMP, MAX_UINT, MIN_INT } from "./limits.ts"
import { nameOfType, type Type } from "./types.ts"
import { Caseless, isList, isMembers, type Value } from "./value.ts"

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
      const integer = between(MIN_INT, MAX_UINT, place, wrong)
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
