import { create } from "@bufbuild/protobuf"
import { StampSchema, type Vote, VoteSchema } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { type StampParts, stampParts } from "../../../core/stamp/stamp.ts"
import type { AuthenticatedRequest } from "../state/request.ts"

const NOTHING = new Uint8Array(0)

/** A vote with its stamp. `message`: the stamped vote; empty when the activity's own body was stamped. */
export function makeVote(
  { voteId, userId, selection }: Pick<Vote, "voteId" | "userId" | "selection">,
  stamp: StampParts,
  nowMs: number,
  message: Uint8Array = NOTHING,
): Vote {
  return create(VoteSchema, {
    voteId,
    userId,
    selection,
    message,
    stamp: create(StampSchema, stamp),
    createdAtMs: BigInt(nowMs),
  })
}

/** The request's stamp with everything needed to verify it again. */
export function evidenceOf({ request, owner }: AuthenticatedRequest): StampParts {
  const { stamp } = request
  return "authenticator" in owner ? stampParts(stamp, owner.authenticator.publicKey) : stampParts(stamp)
}
