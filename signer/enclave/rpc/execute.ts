import { type MessageInitShape, create, toBinary } from "@bufbuild/protobuf"
import {
  type Acknowledgement,
  type ExecuteRequest,
  type ExecuteResponse,
  ExecuteResponseSchema,
  type Order,
  type OrderAnswer,
  OrderAnswerSchema,
  OrderDurationsSchema,
  type Outcome,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { activityTypes } from "../../../proto/catalog.ts"
import { ResultSize } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { BidiStream } from "../../../proto/grpc.ts"
import { MessageBatcher } from "../../../proto/message-batcher.ts"
import { Deadline } from "../../core/turns/deadline.ts"
import { BrokenInvariant } from "../../core/invariant.ts"
import { Refusal, refuse } from "../../core/refusal.ts"
import { isRequestId } from "../../core/request-id.ts"
import { isUuid } from "../../core/uuid.ts"
import { MAX_ITEMS_PER_MESSAGE, MAX_MESSAGE_BYTES } from "../../core/wire.ts"
import { controls } from "../../core/modules/controls.ts"
import { stopwatch } from "../../process/figures.ts"
import { errorFields, log } from "../../process/log.ts"
import { isContextNeeded } from "../execution/state/context-needed.ts"
import { type Denial, isDenial } from "../execution/steps/outcome.ts"
import { writePolicyOutcomes } from "../execution/steps/policy-outcomes.ts"
import { writeRefused } from "../execution/steps/refused.ts"
import { isReplayed, outcomeKey, type ReplayedBody } from "../execution/steps/replay.ts"
import { OUTCOMES } from "../ledger/ledger.ts"
import type { SignerContext } from "./context.ts"
import { requireWitnessed } from "./witnessed.ts"
import type { OrderFigures } from "./order-figures.ts"

/** Documents from this size on make an answer worth measuring. */
const LARGE_BYTES = 1024 * 1024

/** Upper bound of an answer with a small result: ids, time, r, s and v. */
const SMALL_BYTES = 1024

/** Declared sizes of results, by their members of Result. */
const RESULT_SIZES: ReadonlyMap<string | undefined, ResultSize> = new Map(
  [...activityTypes.values()].map(({ resultField, resultSize }) => [resultField?.localName, resultSize]),
)

const BUSY = "too many orders wait; send the same body again"

/** Serves one stream. After the caller ends it, or the signer stops, orders under way are still answered. */
export function serveExecute(
  stream: BidiStream<ExecuteRequest, ExecuteResponse>,
  context: SignerContext,
): void {
  const { turns, orders: figures, stopping } = context
  const batcher = new MessageBatcher<OrderAnswer>(
    (answers) => stream.send(create(ExecuteResponseSchema, { answers })),
    { items: MAX_ITEMS_PER_MESSAGE, bytes: MAX_MESSAGE_BYTES },
    () => turns.waiting > 0,
  )
  let unanswered = 0
  let isEnding = false
  let isEnded = false
  const endWhenDone = () => {
    if (!isEnding || isEnded || unanswered > 0) return
    isEnded = true
    stopping.removeEventListener("abort", beginEnd)
    batcher.flush()
    stream.end()
  }
  const beginEnd = () => {
    isEnding = true
    endWhenDone()
  }
  const answer = async (order: Order, deadline: Deadline, taken: Taken) => {
    const waited = taken.seconds?.() ?? 0
    const answered = await answerSafely(order, context, deadline)
    taken.count(answered.answer)
    if (taken.seconds !== undefined) answered.durations = durations(waited, taken.seconds())
    batcher.put(answered, maxBytes(answered))
    unanswered -= 1
    endWhenDone()
  }
  const take = (order: Order) => {
    const deadline = new Deadline(order.timeoutMs)
    const count = figures.take()
    const seconds = order.timed ? stopwatch() : undefined
    const isTaken = turns.push(ownerOf(order.turnOf), () => void answer(order, deadline, { count, seconds }))
    if (isTaken) unanswered += 1
    else {
      const busy = refusedAnswer(order.id, refuse("SIGNER_BUSY", BUSY))
      count(busy.answer)
      batcher.put(busy, SMALL_BYTES)
    }
  }
  stream.onMessage(({ orders, acknowledgements }) => {
    if (isEnded) return
    // A longer message ends the stream: an answer to one of its orders could not report it.
    if (orders.length + acknowledgements.length > MAX_ITEMS_PER_MESSAGE) {
      const sentence = `a message holds at most ${MAX_ITEMS_PER_MESSAGE} orders and acknowledgements`
      throw refuse("REQUEST_TOO_LARGE", sentence)
    }
    // An acknowledgement without room is dropped: its outcome is offered again.
    for (const one of acknowledgements)
      turns.push(ownerOf(one.organizationId), () => void acknowledgeSafely(one, context))
    for (const order of orders) take(order)
  })
  stream.onEnd(beginEnd)
  stopping.addEventListener("abort", beginEnd)
  if (stopping.aborted) beginEnd()
}

/** An order that waits or runs. `seconds`: time since it came; absent unless the caller asks for it. */
type Taken = { count: ReturnType<OrderFigures["take"]>; seconds: (() => number) | undefined }

function durations(waited: number, whole: number) {
  return create(OrderDurationsSchema, { waitedNs: nanoseconds(waited), ranNs: nanoseconds(whole - waited) })
}

function nanoseconds(seconds: number): bigint {
  return BigInt(Math.round(seconds * 1e9))
}

/** The organization in whose turn something is handled. All that name none share one turn. */
function ownerOf(organizationId: string): string {
  return isUuid(organizationId) ? organizationId : ""
}

/** For an unknown error the caller learns only that the order failed. An answer too large for a message is refused. */
async function answerSafely(order: Order, context: SignerContext, deadline: Deadline): Promise<OrderAnswer> {
  try {
    const answer = await answerOrder(order, context, deadline)
    if (!isTooLarge(answer)) return answer
    return refusedAnswer(order.id, refuse("REQUEST_TOO_LARGE", "the answer would be too large: ask for less"))
  } catch (error) {
    log("error", "an order failed", failureFields(error, order))
    // No answer: what a process with a wrong state says is worth nothing.
    if (error instanceof BrokenInvariant) context.terminate(error)
    return refusedAnswer(order.id, refuse("INTERNAL", "internal error"))
  }
}

/** The API tier may send any text as id of a request. None other than an id is logged. */
function failureFields(error: unknown, { requestId }: Order) {
  return { ...errorFields(error), ...(isRequestId(requestId) && { requestId }) }
}

async function acknowledgeSafely(acknowledgement: Acknowledgement, context: SignerContext): Promise<void> {
  try {
    await acknowledge(acknowledgement, context)
  } catch (error) {
    log("error", "an acknowledgement failed", errorFields(error))
    if (error instanceof BrokenInvariant) context.terminate(error)
  }
}

/** Only answers that can be large are measured: measuring a signature would cost as much as sending it. */
function isTooLarge(answer: OrderAnswer): boolean {
  if (answer.answer.case !== "outcome") return false
  const { records, document, result, appProofs } = answer.answer.value
  const mayBeLarge =
    records.length > 100 ||
    document.length > LARGE_BYTES ||
    appProofs.length > 0 ||
    sizeOf(result) === ResultSize.LARGE
  return (
    mayBeLarge &&
    toBinary(ExecuteResponseSchema, create(ExecuteResponseSchema, { answers: [answer] })).length >
      MAX_MESSAGE_BYTES
  )
}

/** Upper bound of an answer. Small results share messages; any other answer gets a message of its own. */
function maxBytes({ answer }: OrderAnswer): number {
  const isSmall =
    answer.case === "outcome" &&
    sizeOf(answer.value.result) === ResultSize.SMALL &&
    answer.value.appProofs.length === 0
  return isSmall ? SMALL_BYTES + outcomeBytes(answer.value) : MAX_MESSAGE_BYTES
}

function sizeOf(result: Outcome["result"]): ResultSize {
  return RESULT_SIZES.get(result?.result.case) ?? ResultSize.UNSPECIFIED
}

/** Upper bound of the outcomes of policies: an id, a number and their tags each, or packed. */
function outcomeBytes({ decision }: Outcome): number {
  const { policyOutcomes = [], packedOutcomes = NOTHING } = decision ?? {}
  return policyOutcomes.length * POLICY_OUTCOME_BYTES + packedOutcomes.length
}

const NOTHING = new Uint8Array(0)
const POLICY_OUTCOME_BYTES = 48
const FINGERPRINT_BYTES = 32

/** Compressed point, or 32 bytes for Ed25519, in lower-case hexadecimal; or the name of a passkey or of an OIDC identity. */
const CREDENTIAL =
  /^(?:(?:0[23])?[0-9a-f]{64}|webauthn:[A-Za-z0-9_-]{2,1364}|(?:oidc|contact):[A-Za-z0-9_-]{43})$/

type Answer = NonNullable<
  Exclude<MessageInitShape<typeof OrderAnswerSchema>, { $typeName: string }>["answer"]
>

function refusedAnswer(id: bigint, refusal: Refusal): OrderAnswer {
  return create(OrderAnswerSchema, { id, answer: refused(refusal) })
}

/** Decides one order and runs it if it is allowed and not too late. */
export async function answerOrder(
  order: Order,
  context: SignerContext,
  deadline = new Deadline(order.timeoutMs),
): Promise<OrderAnswer> {
  const answer = await context.orders.run(() => execute(order, context, deadline))
  return create(OrderAnswerSchema, { id: order.id, answer })
}

async function execute(order: Order, context: SignerContext, deadline: Deadline): Promise<Answer> {
  try {
    const state = context.state()
    const result = await state.executor.execute(order, deadline)
    if (isContextNeeded(result)) return { case: "needed", value: result.needed }
    await requireWitnessed(state, context, deadline.leftMs)
    if (isDenial(result)) return denied(result)
    return isReplayed(result) ? replayed(result) : { case: "outcome", value: result }
  } catch (error) {
    if (error instanceof Refusal) return refused(error)
    throw error
  }
}

/** Removes an outcome that the API tier has stored: from now on Recover does not deliver it. Resolves once its row is removed. */
export async function acknowledge(acknowledgement: Acknowledgement, context: SignerContext): Promise<void> {
  if (context.phase().name !== "ready" || !canNameOutcome(acknowledgement)) return
  const { organizationId, fingerprint, credential } = acknowledgement
  const { ledger } = context.state()
  const key = outcomeKey(organizationId, Buffer.from(fingerprint).toString("hex"), credential)
  if (ledger.row(OUTCOMES, "outcome", key) === undefined) return
  await ledger.forgetOutcome(key)
}

/** True if an outcome can have this name. Acknowledgements have no answer, so others are ignored. */
function canNameOutcome({ organizationId, fingerprint, credential }: Acknowledgement): boolean {
  return isUuid(organizationId) && fingerprint.length === FINGERPRINT_BYTES && CREDENTIAL.test(credential)
}

function refused(refusal: Refusal): Answer {
  return { case: "refused", value: writeRefused(refusal) }
}

function replayed({ refusal, replayed: outcome }: ReplayedBody): Answer {
  const value = { ...writeRefused(refusal), ...(outcome !== undefined && { replayed: outcome }) }
  return { case: "refused", value }
}

function denied({ refusal, outcome, exceeded, logReceipt }: Denial): Answer {
  const { organizationId, activityId, voteId, userId, decidedAtMs, details, heldPolicyList, appProofs } =
    outcome
  const outcomes = writePolicyOutcomes(details.policyOutcomes, heldPolicyList)
  const denial = { activityId, voteId, userId, ...outcomes, decidedAtMs: BigInt(decidedAtMs), logReceipt }
  const exceededControls = exceeded.map(controls.writeExcess)
  return {
    case: "refused",
    value: { ...writeRefused(refusal), organizationId, denial, appProofs, exceededControls },
  }
}
