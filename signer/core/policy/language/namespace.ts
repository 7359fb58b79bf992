import type { Type } from "./types.ts"

/** The field of an expression. Session scopes and MFA conditions are conditions too. */
export type Field = "condition" | "consensus" | "time"

/** The roots of a field. */
export type Namespace = {
  readonly field: Field
  /** Types of the roots by their dotted names of one or two words: `wallet`, `eth.tx`. */
  readonly roots: Readonly<Record<string, Type>>
  /** The root that holds the current instant; `Timestamp` and `CronSpan` exist only where there is one. */
  readonly clock?: string
  /** First words of the roots of all fields; variables cannot have these names. */
  readonly rootWords: ReadonlySet<string>
}

export function firstWord(root: string): string {
  return root.split(".", 1)[0] ?? root
}
