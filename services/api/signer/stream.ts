import { type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import { FetchedStatementSchema } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type {
  AcknowledgementSchema,
  Order,
  OrderAnswer,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { MessageBatcher } from "../../../proto/message-batcher.ts"
import { MAX_MESSAGE_BYTES } from "../../../signer/core/wire.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { unavailable } from "../errors.ts"
import type { ExecuteStream, OrderParts, SignerTransport } from "./signer.ts"

/** The signer refuses an order that expires before it runs; this is the time that the refusal may need. */
const GRACE_MS = 500

/** Orders and acknowledgements in one message; the signer accepts more. */
const MAX_ITEMS = 32
/** With more unanswered orders, the signer is busy and new orders are batched. */
const HIGH_WATER_MARK = 16
/** Protobuf overhead of an order with its ids and numbers, and of one document, record or statement. */
const FRAME_BYTES = 256
const RECORD_FRAME_BYTES = 8
/** Upper bound of an acknowledgement: ids, digest and key. */
const ACKNOWLEDGEMENT_BYTES = 512

type Waiting = {
  resolve(answer: OrderAnswer): void
  reject(error: Error): void
  timeout: NodeJS.Timeout
  /** Number of answers that had come when the order was sent. */
  answersBefore: number
}
type Acknowledgement = Extract<MessageInitShape<typeof AcknowledgementSchema>, { $typeName?: never }>
type Item = { order: Order } | { acknowledgement: Acknowledgement }

/** One stream to the signer and its unanswered orders, which fail when it breaks. A stream is opened once. */
export class OrderStream {
  readonly #waiting = new Map<bigint, Waiting>()
  readonly #stream: ExecuteStream
  readonly #batcher: MessageBatcher<Item>
  readonly #onBroken: () => void
  #nextId = 1n
  #answers = 0
  #isOver = false
  #isRetired = false

  constructor(transport: SignerTransport, onBroken: () => void) {
    this.#onBroken = onBroken
    this.#batcher = new MessageBatcher(
      (items) => this.#write(items),
      { items: MAX_ITEMS, bytes: MAX_MESSAGE_BYTES },
      () => this.#waiting.size > HIGH_WATER_MARK,
    )
    this.#stream = transport.open({
      onAnswer: (answer) => {
        this.#answers += 1
        this.#take(answer.id)?.resolve(answer)
      },
      onBroken: (cause) => this.#break(cause),
    })
  }

  /** @throws StreamBroken, ApiError 413 if this order's answer broke the stream */
  execute(order: OrderParts, timed = false): Promise<OrderAnswer> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      const timeout = setTimeout(() => this.#expire(id), order.deadline.leftMs + GRACE_MS)
      this.#waiting.set(id, { resolve, reject, timeout, answersBefore: this.#answers })
      this.#batcher.put({ order: orderMessage(id, order, timed) }, maxBytes(order))
    })
  }

  acknowledge(acknowledgement: Acknowledgement): void {
    this.#batcher.put({ acknowledgement }, ACKNOWLEDGEMENT_BYTES)
  }

  /** Ends the stream once its orders are answered. The caller puts none on it any more. */
  retire(): void {
    this.#isRetired = true
    this.#endIfRetired()
  }

  /** Fails all unanswered orders. */
  close(cause: Error): void {
    this.#batcher.flush()
    this.#isOver = true
    this.#stream.end()
    this.#failAll(() => new StreamBroken(cause))
  }

  /** The order with a too large answer is known only if it was the only unanswered order. */
  #break(cause: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    const isTooLarge = Reflect.get(cause, "code") === GrpcCode.resourceExhausted
    const isKnown = isTooLarge && this.#waiting.size === 1
    this.#onBroken()
    this.#failAll(() => (isKnown ? answerTooLarge(cause) : new StreamBroken(cause, isTooLarge)))
  }

  #write(items: Item[]): void {
    if (this.#isOver) return
    const orders = items.flatMap((item) => ("order" in item ? item.order : []))
    const acknowledgements = items.flatMap((item) => ("order" in item ? [] : item.acknowledgement))
    try {
      this.#stream.write({ orders, acknowledgements })
    } catch (cause) {
      for (const { id } of orders) this.#take(id)?.reject(new StreamBroken(cause))
    }
  }

  #take(id: bigint): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return undefined
    this.#waiting.delete(id)
    clearTimeout(waiting.timeout)
    this.#endIfRetired()
    return waiting
  }

  #endIfRetired(): void {
    if (!this.#isRetired || this.#isOver || this.#waiting.size > 0) return
    this.#batcher.flush()
    this.#stream.end()
  }

  /** A stream on which no answer has come since the order was sent is given up: later orders get a new one. */
  #expire(id: bigint): void {
    const expired = this.#take(id)
    if (expired === undefined) return
    expired.reject(unavailable("the signer did not answer in time; the same body may be sent again"))
    if (expired.answersBefore !== this.#answers || this.#isOver) return
    this.#stream.cancel()
    this.#break(new Error("the signer does not answer on this stream"))
  }

  #failAll(error: () => Error): void {
    for (const id of this.#waiting.keys()) this.#take(id)?.reject(error())
  }
}

/** A literal instead of create(): this is the hot path, and create() looks up each member. */
function orderMessage(id: bigint, order: OrderParts, timed: boolean): Order {
  const { deadline, ...parts } = order
  // 0 would mean the signer's own bound.
  const timeoutMs = Math.max(deadline.leftMs, 1)
  return { $typeName: "countersign.signer.v1.Order", id, ...parts, timeoutMs, timed }
}

/** Upper bound of an order's size in a message. */
export function maxBytes(order: OrderParts): number {
  const { body, xStamp, xStampWebauthn, xStampAttested, documents, records, fetched } = order
  const texts =
    Buffer.byteLength(xStamp) + Buffer.byteLength(xStampWebauthn) + Buffer.byteLength(xStampAttested)
  const statements = fetched.map((one) => toBinary(FetchedStatementSchema, one))
  const context = [...documents, ...records, ...statements].reduce(
    (sum, { length }) => sum + length + RECORD_FRAME_BYTES,
    0,
  )
  return FRAME_BYTES + body.length + texts + context
}

/** The stream to the signer has broken. */
export class StreamBroken extends ApiError {
  /** The answer of one unanswered order exceeds the message limit. */
  readonly isTooLarge: boolean

  constructor(cause: unknown, isTooLarge = false) {
    super(GrpcCode.unavailable, "the signer cannot be reached now; the same body may be sent again", {
      publicCode: "INTERNAL",
      reason: "SIGNER_UNREACHABLE",
      cause,
    })
    this.isTooLarge = isTooLarge
  }
}

/** The signer decided the order, but its answer exceeds the message limit. */
function answerTooLarge(cause: unknown): ApiError {
  const sentence =
    "the answer to this request is too large; the activity may have run: list the activities before " +
    "repeating it in smaller parts"
  return new ApiError(GrpcCode.resourceExhausted, sentence, {
    status: 413,
    publicCode: "REQUEST_INVALID",
    reason: "ANSWER_TOO_LARGE",
    cause,
  })
}
