import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Field } from "../../../../../signer/core/policy/expression.ts"

/** An expression that somebody holds in a policy, and what becomes of it here. */
export type Example = {
  id: string
  field: Field
  expression: string
  expect: "accepted" | "warned" | "refused"
  /** For a refused expression: the kind of fault, and the text it points at. */
  fault?: string
  at?: string
  note?: string
}

const file = join(import.meta.dirname, "../../../../vectors/policies/expressions.json")

export const corpus: readonly Example[] = (
  JSON.parse(readFileSync(file, "utf8")) as { expressions: Example[] }
).expressions
