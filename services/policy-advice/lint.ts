import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import type { Span } from "../../signer/core/policy/language/fault.ts"
import { lintComparisons } from "./lint-comparisons.ts"
import { lintConsensus } from "./lint-consensus.ts"
import { lintFaults } from "./lint-faults.ts"

/** Something that is probably not what its author means. Never a reason to refuse. */
export type Warning = Span & { readonly sentence: string }

/** What the caller knows of the organization; the more, the more is found. */
export type Known = {
  /** The policy's effect. */
  readonly effect?: "allow" | "deny"
  /** All that exist, by what they are (`meaning` of a type, such as `user-id` or `activity-kind`). */
  readonly existing?: ReadonlyMap<string, ReadonlySet<string>>
  /** Texts that do not belong where a meaning is, each with what is wrong: a tag's name in place of its id. */
  readonly mistaken?: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Looks for mistakes that are no faults. In the order of the text. */
export function lint(compiled: Compiled, known: Known = {}): Warning[] {
  const warnings = [
    ...lintComparisons(compiled, known),
    ...lintFaults(compiled, known),
    ...(compiled.field === "consensus" ? lintConsensus(compiled, known) : []),
  ]
  return warnings.toSorted((one, other) => one.offset - other.offset)
}
