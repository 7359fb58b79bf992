import type { Kind } from "../../terminal-client/names/kinds.ts"

/** One member of a request, as the contract declares it. */
export type RequestMember = {
  name: string
  /** Form of the value, or of each item of a list. Objects have no option unless one is declared. */
  form: "text" | "number" | "boolean" | "word" | "object"
  /** First sentence of its comment. */
  about: string
  list?: true
  required?: true
  /** A required list may be empty. */
  mayBeEmpty?: true
  /** Wire names of the values of an enumeration. */
  values?: readonly string[]
  /** The only texts allowed. */
  texts?: readonly string[]
  /** The kind of resources whose ids it has. */
  refers?: Kind
}

/**
 * Members of operations from text, a line each: name and form, then properties, then the comment behind a colon.
 * `accessType word required values=ACCESS_TYPE_WEB,ACCESS_TYPE_API: Way in which the user will work`.
 */
export function readMembers(texts: { readonly [operation: string]: string }): {
  readonly [operation: string]: readonly RequestMember[]
} {
  return Object.fromEntries(
    Object.entries(texts).map(([operation, text]) => [
      operation,
      text
        .split("\n")
        .filter((line) => line !== "")
        .map(readMember),
    ]),
  )
}

function readMember(line: string): RequestMember {
  const end = line.indexOf(": ")
  const [name, form, ...properties] = line.slice(0, end).split(" ")
  const read = properties.map((property) => {
    const [key = "", value] = property.split("=")
    const isList = key === "values" || key === "texts"
    return [key, value === undefined ? true : isList ? value.split(",") : value] as const
  })
  // The generator writes these lines from members.
  return { name, form, about: line.slice(end + 2), ...Object.fromEntries(read) } as RequestMember
}
