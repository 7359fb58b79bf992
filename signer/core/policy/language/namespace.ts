import type { Type } from "./types.ts"

/** Where an expression stands: conditions (also session scopes and MFA conditions), consensus, time. */
export type Field = "condition" | "consensus" | "time"

/** What names mean in a field. */
export type Namespace = {
  readonly field: Field
  /** Types of the roots by their dotted names of one or two words: `wallet`, `eth.tx`. */
  readonly roots: Readonly<Record<string, Type>>
  /** The root that tells the instant; `Timestamp` and `CronSpan` exist only where there is one. */
  readonly clock?: string
  /** Roots of other fields, and which: for hints alone. */
  readonly elsewhere?: ReadonlyMap<string, Field>
  /** Groups of roots of which a request has at most one: for lints alone. */
  readonly exclusive?: readonly (readonly string[])[]
}

export function firstWord(root: string): string {
  return root.split(".", 1)[0] ?? root
}
