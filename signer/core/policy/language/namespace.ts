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
  /** First words of all roots, of other fields too: no variable has one for a name. */
  readonly rootWords: ReadonlySet<string>
}

export function firstWord(root: string): string {
  return root.split(".", 1)[0] ?? root
}
