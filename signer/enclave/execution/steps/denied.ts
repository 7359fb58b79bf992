import type { AppProof } from "../../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { PolicyOutcome } from "../../../core/policy/decision/policy-evaluator.ts"
import { Refusal } from "../../../core/refusal.ts"

/** Who was denied what, by which policies; the API tier keeps the activity as failed, for its history. */
export type Denial = {
  /** Whose activity it is: a login may name the parent. */
  organizationId: string
  activityId: string
  voteId: string
  userId: string
  decidedAtMs: number
  policyOutcomes: readonly PolicyOutcome[]
  /** Empty where nobody asked for them. */
  appProofs: readonly AppProof[]
}

/** The refusal of a decision. */
export class Denied extends Refusal {
  readonly denial: Denial

  constructor(reason: string, denial: Denial) {
    super("PERMISSION_DENIED", reason)
    this.denial = denial
  }
}
