import { createHash } from "node:crypto"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"

/** The inputs of a decision, except the organization's data and the stamps, which the proof states separately. */
export type DecisionContext = {
  /** UUID. */
  organizationId: string
  /** UUIDv7. */
  activityId: string
  /** `ACTIVITY_TYPE_…`. */
  activityType: string
  /** SHA-256 of the activity's body, 32 bytes. */
  fingerprint: Uint8Array
  /** Id of the submitting user, UUID. */
  submitterId: string
  /** Serialized Result, undefined while there is none. */
  result: Uint8Array | undefined
  /** Ids of the users whose approvals were counted, in the order of `userRequestApprovals`. */
  approverIds: readonly string[]
}

const TAG = "countersign/v1/decision-context"

/** Digest of a decision's context, lower-case hexadecimal; the byte layout is in docs/formats/app-proofs.md. */
export function decisionContextDigest(context: DecisionContext): string {
  const { organizationId, activityId, activityType, submitterId } = context
  const parts = [
    ...texts(organizationId, activityId, activityType),
    context.fingerprint,
    ...texts(submitterId),
    context.result === undefined ? NOTHING : createHash("sha256").update(context.result).digest(),
    ...texts(...context.approverIds),
  ]
  return createHash("sha256")
    .update(TAG)
    .update(SEPARATOR)
    .update(lengthPrefixed(...parts))
    .digest("hex")
}

function texts(...values: string[]): Uint8Array[] {
  return values.map((value) => Buffer.from(value))
}

const NOTHING = new Uint8Array(0)
const SEPARATOR = new Uint8Array(1)
