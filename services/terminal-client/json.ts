import { usage } from "./exit.ts"

/** Members of an object of JSON. */
export type Json = { readonly [member: string]: unknown }

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The object of a text. @param subject the text, in sentences. @throws {CliError} usage: it has none */
export function readObject(text: string, subject: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (cause) {
    throw usage(`${subject} is not JSON: ${(cause as Error).message}`, { cause })
  }
  throw usage(`${subject} is not a JSON object`)
}

/** The value at a path of members such as `credential.publicKey`. */
export function memberAt(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (at, name) => (typeof at === "object" && at !== null ? (at as Json)[name] : undefined),
      value,
    )
}

/** JSON with the members of every object in alphabetical order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
