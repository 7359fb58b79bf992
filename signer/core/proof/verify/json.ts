import {
  isJsonObject,
  parseStrictJson,
  StrictJsonError,
  type JsonMembers,
} from "../../../../proto/strict-json.ts"

/** The text as a strict JSON object; undefined: it is none. */
export function readObject(text: string): JsonMembers | undefined {
  try {
    const value = parseStrictJson(text)
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof StrictJsonError) return undefined
    throw error
  }
}

/** A member that is an object, else an empty one. */
export function objectIn(json: JsonMembers, name: string): JsonMembers {
  const value = memberOf(json, name)
  return isJsonObject(value) ? value : {}
}

/** A member that is text, else "". */
export function textIn(json: JsonMembers, name: string): string {
  const value = memberOf(json, name)
  return typeof value === "string" ? value : ""
}

/** The objects of a member that is a list. */
export function objectsIn(json: JsonMembers, name: string): JsonMembers[] {
  const value = memberOf(json, name)
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** True if two JSON values are equal, in any order of members. Recurses no deeper than the first one. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, index) => isSameJson(value, other[index]))
    )
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  )
}

function memberOf(json: JsonMembers, name: string): unknown {
  return Object.hasOwn(json, name) ? json[name] : undefined
}
