import { createHash } from "node:crypto"
import type { MessageInitShape } from "@bufbuild/protobuf"
import { ActivityStatus, VoteSelection } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { DecisionSchema, OutcomeSchema } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { OrderParts } from "../../../services/api/signer/signer.ts"
import { nextId, ORGANIZATION_ID } from "./documents.ts"
import type { PreparedAnswer } from "./stub-signer.ts"

type OutcomeInit = Omit<MessageInitShape<typeof OutcomeSchema>, "$typeName" | "$unknown">

/** Outcome of an order that a user opened; by default a completed change. */
export function outcome(userId: string, parts: OutcomeInit = {}, nowMs = Date.now()) {
  return ({ body }: OrderParts): PreparedAnswer => ({
    case: "outcome",
    value: {
      decision: { activityId: nextId(), voteId: nextId(), userId, decidedAtMs: BigInt(nowMs) },
      organizationId: ORGANIZATION_ID,
      activityFingerprint: sha256(body),
      selection: VoteSelection.APPROVED,
      status: ActivityStatus.COMPLETED,
      opened: true,
      unacknowledged: true,
      ...parts,
    },
  })
}

/** Outcome of a signing order. */
export function signed(userId: string, r = "11".repeat(32)) {
  const value = { r, s: "22".repeat(32), v: "00" }
  return outcome(userId, {
    unacknowledged: false,
    result: { result: { case: "signRawPayloadResult", value } },
  })
}

export function refused(code: RefusalCode, sentence: string, field = ""): PreparedAnswer {
  return { case: "refused", value: { code, sentence, field } }
}

/** A denial by the decision procedure. */
export function denied(
  userId: string,
  organizationId = ORGANIZATION_ID,
  policyOutcomes: MessageInitShape<typeof DecisionSchema>["policyOutcomes"] = [],
): PreparedAnswer {
  const ids = { activityId: nextId(), voteId: nextId() }
  const decision = { ...ids, userId, decidedAtMs: BigInt(Date.now()), policyOutcomes }
  const sentence = "No policies evaluated to outcome: Allow"
  const code = RefusalCode.PERMISSION_DENIED
  return { case: "refused", value: { code, sentence, denial: decision, organizationId } }
}

export function sha256(bytes: Uint8Array | string): Buffer {
  return createHash("sha256").update(bytes).digest()
}

export function signBody(payload = "hello", organizationId = ORGANIZATION_ID) {
  return submitBody(
    "SIGN_RAW_PAYLOAD_V2",
    {
      signWith: "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
      payload,
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    },
    organizationId,
  )
}

export function quorumBody(userIds: string[], threshold = 1) {
  return submitBody("UPDATE_ROOT_QUORUM", { threshold, userIds })
}

export function submitBody(type: string, parameters: object, organizationId = ORGANIZATION_ID): string {
  const timestampMs = String(Date.now())
  return JSON.stringify({ type: `ACTIVITY_TYPE_${type}`, timestampMs, organizationId, parameters })
}
