import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import { lintComparisons } from "./lint-comparisons.ts"
import { lintContradictions } from "./lint-contradictions.ts"
import { lintConsensus } from "./lint-consensus.ts"
import { lintCost } from "./lint-cost.ts"
import { lintFaults } from "./lint-faults.ts"
import { lintTimes } from "./lint-times.ts"
import { lintVersions } from "./lint-versions.ts"
import type { OrganizationNames, Warning } from "./warning.ts"

/** Finds mistakes that are not refused, in the order of the text. */
export function lint(compiled: Compiled, known: OrganizationNames = {}): Warning[] {
  const warnings = [
    ...lintComparisons(compiled, known),
    ...lintContradictions(compiled),
    ...lintFaults(compiled, known),
    ...lintVersions(compiled, known),
    ...(compiled.field === "time" ? lintTimes(compiled, known) : []),
    ...(compiled.field === "consensus"
      ? [...lintConsensus(compiled, known), ...lintCost(compiled, known)]
      : []),
  ]
  return warnings.toSorted((one, other) => one.offset - other.offset)
}
