import { Refusal } from "../refusal.ts"

/** Who was denied what; the API tier keeps the activity as failed, for its history. */
export type Denial = { activityId: string; voteId: string; userId: string; decidedAtMs: number }

/** The refusal of a decision. */
export class Denied extends Refusal {
  readonly denial: Denial

  constructor(reason: string, denial: Denial) {
    super("PERMISSION_DENIED", reason)
    this.denial = denial
  }
}
