import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { ResultSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { VoteSelection } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type Outcome,
  OutcomeSchema,
  RefusedSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import type { ActivityOutcome } from "./outcome.ts"
import { writeRefused } from "./refused.ts"

/** A longer result is left out: the row lives an hour, and a result may have megabytes. */
const MAX_RESULT_BYTES = 4096

/**
 * The row that the ledger keeps of a finished activity under its fingerprint: the Outcome of its submission, without the parts
 * that the archive has. By it the submitter's repeated body finds the activity if the database lost it.
 * @param submission the submitter's vote, if the activity waited for others
 */
export function writeFinished(outcome: ActivityOutcome, submission: Vote | undefined): Uint8Array {
  const { organizationId, activityId, activityFingerprint, decidedAtMs, status, effects, failure } = outcome
  const { voteId, userId } = submission ?? outcome
  const isShort = effects !== undefined && toBinary(ResultSchema, effects.result).length <= MAX_RESULT_BYTES
  return toBinary(
    OutcomeSchema,
    create(OutcomeSchema, {
      decision: { activityId, voteId, userId, decidedAtMs: BigInt(decidedAtMs) },
      organizationId,
      activityFingerprint: Buffer.from(activityFingerprint, "hex"),
      selection: VoteSelection.APPROVED,
      status,
      opened: true,
      ...(isShort && { result: effects.result }),
      ...(failure && { failure: create(RefusedSchema, writeRefused(failure.refusal)) }),
    }),
  )
}

/** Tag of Outcome's first field. A row of text begins with a digit, or with `VOTE`. */
const FIRST_TAG = 0x0a

/** The outcome in a row. Undefined for text: the row of an activity that waits or expired, of a vote, or of a ledger of 0.1.0. */
export function readFinished(row: Uint8Array): Outcome | undefined {
  return row[0] === FIRST_TAG ? fromBinary(OutcomeSchema, row) : undefined
}
