import type { Span } from "./fault.ts"

export type Comparison = "==" | "!=" | "<" | ">" | "<=" | ">=" | "in"
export type Quantifier = "any" | "all" | "filter"

/** A tree as parsed, before names are resolved. */
export type Syntax = Span & {
  /** Height of the tree from this node down. */
  readonly depth: number
} & (
    | { readonly kind: "literal"; readonly value: boolean | bigint | string }
    | { readonly kind: "list"; readonly items: readonly Syntax[] }
    | { readonly kind: "struct"; readonly members: readonly StructMember[] }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "call"; readonly name: Name; readonly parameters: readonly Syntax[] }
    | { readonly kind: "member"; readonly object: Syntax; readonly name: Name }
    | { readonly kind: "bracket"; readonly object: Syntax; readonly key: Syntax }
    | { readonly kind: "slice"; readonly object: Syntax; readonly from: Syntax; readonly to: Syntax }
    | { readonly kind: "count"; readonly object: Syntax }
    | { readonly kind: "contains"; readonly object: Syntax; readonly item: Syntax }
    | {
        readonly kind: "quantifier"
        readonly quantifier: Quantifier
        readonly object: Syntax
        readonly variable: Name
        readonly body: Syntax
      }
    | { readonly kind: "not"; readonly operand: Syntax }
    | {
        readonly kind: "compare"
        readonly operator: Comparison
        readonly left: Syntax
        readonly right: Syntax
      }
    /** Chains are flat: `a && b && c` is one node of three parts. */
    | { readonly kind: "and" | "or"; readonly parts: readonly Syntax[] }
  )

export type Name = Span & { readonly name: string }
export type StructMember = { readonly name: Name; readonly value: Syntax }
