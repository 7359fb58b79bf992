import { parseStrictJson, StrictJsonError } from "../../../../proto/strict-json.ts"

/** A JSON object of which nothing is known yet. */
export type Json = { readonly [name: string]: unknown }

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The object that a text is, with one reading; undefined where it is none. */
export function readObject(text: string): Json | undefined {
  try {
    const value = parseStrictJson(text)
    return isJson(value) ? value : undefined
  } catch (error) {
    if (error instanceof StrictJsonError) return undefined
    throw error
  }
}

/** A member that is an object, else an empty one. */
export function objectIn(json: Json, name: string): Json {
  const value = memberOf(json, name)
  return isJson(value) ? value : {}
}

/** A member that is text, else "". */
export function textIn(json: Json, name: string): string {
  const value = memberOf(json, name)
  return typeof value === "string" ? value : ""
}

/** The objects of a member that is a list. */
export function objectsIn(json: Json, name: string): Json[] {
  const value = memberOf(json, name)
  return Array.isArray(value) ? value.filter(isJson) : []
}

/** Whether two JSON values say the same, in whatever order of members. Goes no deeper than the first. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, index) => isSameJson(value, other[index]))
    )
  }
  if (!isJson(one) || !isJson(other)) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  )
}

function memberOf(json: Json, name: string): unknown {
  return Object.hasOwn(json, name) ? json[name] : undefined
}
