import type { Kind } from "../names/kinds.ts"

/** One member of a request, as the contract declares it. */
export type Member = {
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
