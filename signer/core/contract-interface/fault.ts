import { Fault, isFault } from "../fault.ts"
import { isJsonObject, parseStrictJson, StrictJsonError } from "../../../proto/strict-json.ts"

/** A fault of an interface. `place`: path of the member at fault, `[3].inputs[0].type`; empty for the text as a whole. */
export function interfaceFault(place: string, why: string, cause?: unknown): Fault<"interface"> {
  return new Fault("interface", place === "" ? why : `${place} ${why}`, place, cause)
}

/** Reads a part of an interface; a fault of the part is the result, so that it leaves the rest as it is. */
export function readOrFault<Read>(read: () => Read): Read | Fault<"interface"> {
  try {
    return read()
  } catch (fault) {
    if (isFault(fault, "interface")) return fault
    throw fault
  }
}

/** True for a function or instruction that is known by name and whose arguments cannot be read. */
export function isUnreadable<One extends object>(
  one: One,
): one is Extract<One, { readonly fault: Fault<"interface"> }> {
  return "fault" in one
}

export type InterfaceMembers = Readonly<Record<string, unknown>>

/** Characters of a caller's text that a sentence repeats. */
const MAX_QUOTED = 64

/** A piece of the interface for a sentence about it. */
export function quoted(text: string): string {
  return text.length <= MAX_QUOTED ? `"${text}"` : `"${text.slice(0, MAX_QUOTED)}…"`
}

/** Strict JSON: no member twice, bounded depth. @throws Fault interface with the offset */
export function readJson(text: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw interfaceFault("", `is no JSON: ${cause.message}`, cause)
  }
}

/** @throws Fault interface */
export function requireObject(value: unknown, place: string): InterfaceMembers {
  if (isJsonObject(value)) return value
  throw interfaceFault(place, "must be an object")
}

/** An own member, so that `constructor` and the like are never found; null counts as absent. */
export function memberOf(members: InterfaceMembers, name: string): unknown {
  return Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined
}

/** @throws Fault interface where it is absent or no string */
export function requireString(members: InterfaceMembers, name: string, place: string): string {
  const value = memberOf(members, name)
  if (typeof value === "string") return value
  throw interfaceFault(join(place, name), value === undefined ? "is missing" : "must be a string")
}

/** @throws Fault interface where it is absent or no list */
export function requireList(members: InterfaceMembers, name: string, place: string): readonly unknown[] {
  const value = memberOf(members, name)
  if (Array.isArray(value)) return value
  throw interfaceFault(join(place, name), value === undefined ? "is missing" : "must be a list")
}

/** The list; empty when the member is absent. @throws Fault interface */
export function optionalList(members: InterfaceMembers, name: string, place: string): readonly unknown[] {
  return memberOf(members, name) === undefined ? [] : requireList(members, name, place)
}

/** No name is listed twice; an empty one is no name. @throws Fault interface */
export function requireDistinct(items: readonly { readonly name: string }[], place: string): void {
  const seen = new Set<string>()
  for (const [index, { name }] of items.entries()) {
    if (seen.has(name)) throw interfaceFault(`${place}[${index}].name`, `occurs twice: ${quoted(name)}`)
    if (name !== "") seen.add(name)
  }
}

export function join(place: string, name: string): string {
  return place === "" ? name : `${place}.${name}`
}
