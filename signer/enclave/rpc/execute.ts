import { create, type MessageInitShape } from "@bufbuild/protobuf"
import type { ExpressionFaultSchema } from "../../../proto/gen/countersign/api/v1/errors_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import {
  type Acknowledgement,
  type Order,
  type OrderAnswer,
  OrderAnswerSchema,
  type RefusedSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { deploymentChange } from "../execution/steps/commit.ts"
import { Denied } from "../execution/steps/outcome.ts"
import { ContextNeeded } from "../execution/state/needed.ts"
import { outcomeKey } from "../execution/steps/recovery.ts"
import { type ExpressionPlace, Refusal } from "../../core/refusal.ts"
import type { SignerContext } from "./context.ts"
import { isId } from "./read-fields.ts"

const FINGERPRINT_BYTES = 32

/** Compressed point, or 32 bytes for Ed25519, in lower-case hexadecimal; or the credential name of a passkey. */
const CREDENTIAL = /^(?:(?:0[23])?[0-9a-f]{64}|webauthn:[A-Za-z0-9_-]{2,1364})$/

type Answer = NonNullable<
  Exclude<MessageInitShape<typeof OrderAnswerSchema>, { $typeName: string }>["answer"]
>

/** Decides one order and runs it if it is allowed. */
export async function answerOrder(order: Order, context: SignerContext): Promise<OrderAnswer> {
  return create(OrderAnswerSchema, { id: order.id, answer: await answer(order, context) })
}

/** The answer that refuses an order. */
export function refusedAnswer(id: bigint, refusal: Refusal): OrderAnswer {
  return create(OrderAnswerSchema, { id, answer: refused(refusal) })
}

async function answer(order: Order, context: SignerContext): Promise<Answer> {
  try {
    return { case: "outcome", value: await context.work().executor.execute(order) }
  } catch (error) {
    if (error instanceof ContextNeeded) return { case: "needed", value: error.needed }
    if (error instanceof Refusal) return refused(error)
    throw error
  }
}

/** Removes an outcome that the API tier has stored: Recover need not deliver it any more. */
export async function acknowledge(acknowledgement: Acknowledgement, context: SignerContext): Promise<void> {
  if (context.phase().name !== "ready" || !canNameOutcome(acknowledgement)) return
  const { organizationId, fingerprint, credential } = acknowledgement
  const { ledger } = context.work()
  const key = outcomeKey(organizationId, Buffer.from(fingerprint).toString("hex"), credential)
  if (ledger.row("", "outcome", key) === undefined) return
  await ledger.commit([deploymentChange(ledger, { remove: [{ kind: "outcome", key }] })])
}

/** Whether an outcome can have this name. Acknowledgements have no answer, so others are ignored. */
function canNameOutcome({ organizationId, fingerprint, credential }: Acknowledgement): boolean {
  return isId(organizationId) && fingerprint.length === FINGERPRINT_BYTES && CREDENTIAL.test(credential)
}

function refused(refusal: Refusal): Answer {
  const value: MessageInitShape<typeof RefusedSchema> = {
    code: RefusalCode[refusal.code],
    sentence: refusal.message,
    field: refusal.field ?? "",
    ...(refusal.expression && { expression: expressionFault(refusal.expression, refusal.field) }),
  }
  if (!(refusal instanceof Denied)) return { case: "refused", value }
  const { organizationId, activityId, voteId, userId, decidedAtMs, details, appProofs } = refusal.outcome
  const policyOutcomes = [...details.policyOutcomes]
  const denial = { activityId, voteId, userId, policyOutcomes, decidedAtMs: BigInt(decidedAtMs) }
  return { case: "refused", value: { ...value, organizationId, denial, appProofs } }
}

function expressionFault(
  { offset, length, expected = "", found = "" }: ExpressionPlace,
  field = "",
): MessageInitShape<typeof ExpressionFaultSchema> {
  return { field, offset, length, expected, found }
}
