import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"

/** What one policy came to, as it is told and kept. */
export type PolicyOutcome = { readonly policyId: string; readonly outcome: Outcome }

/** What a denial is told as: by a policy that applied, or because nothing allowed it. */
export function outcomeOfDenial(
  policyOutcomes: readonly PolicyOutcome[],
): typeof Outcome.DENY_EXPLICIT | typeof Outcome.DENY_IMPLICIT {
  const isExplicit = policyOutcomes.some(({ outcome }) => outcome === Outcome.DENY_EXPLICIT)
  return isExplicit ? Outcome.DENY_EXPLICIT : Outcome.DENY_IMPLICIT
}
