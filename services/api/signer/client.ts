import { setTimeout } from "node:timers/promises"
import type { OrderDurations } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { MAX_MESSAGE_BYTES } from "../../../signer/core/wire.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { inSpan, nowNs, type OpenSpan } from "../../common/tracing/tracer.ts"
import { maxBytes, OrderStream, StreamBroken } from "./stream.ts"
import type {
  ArchivePosition,
  AttestedRead,
  IdTokenInquiry,
  SignerAnswer,
  OrderParts,
  Signer,
  SignerTransport,
  UnsignedWebhook,
  WitnessReplies,
} from "./signer.ts"

/** Pause between two attempts to open the stream. */
const REOPEN_PAUSE_MS = 200
/** Timers may fire slightly early by performance.now(). */
const TIMER_SLACK_MS = 5

/** Monotonic milliseconds, and a pause by them. */
export type PausingClock = { elapsedMs(): number; pause(ms: number): Promise<unknown> }

/** The kind of an answer; `lost`: the stream broke, or no answer came in time. */
export type RoundTrip = NonNullable<SignerAnswer["case"]> | "lost"
type OnRoundTrip = (kind: RoundTrip, seconds: number) => void

export const systemClock: PausingClock = { elapsedMs: () => performance.now(), pause: setTimeout }

/** Sends all orders of this process over one stream. The next order after a break opens a new stream. */
export class SignerClient implements Signer {
  readonly #transport: SignerTransport
  readonly #clock: PausingClock
  readonly #onRoundTrip: OnRoundTrip
  readonly #streams = new Set<OrderStream>()
  #shared: OrderStream | undefined
  #openableAt = 0
  #closed = false

  /** @param onRoundTrip called with each attempt to have an order answered */
  constructor(
    transport: SignerTransport,
    clock: PausingClock = systemClock,
    onRoundTrip: OnRoundTrip = () => undefined,
  ) {
    this.#transport = transport
    this.#clock = clock
    this.#onRoundTrip = onRoundTrip
    transport.onRenewed?.(() => this.#renewStream())
  }

  /** After a break the order is repeated once. That is safe: the signer decides a body at most once. */
  async execute(order: OrderParts): Promise<SignerAnswer> {
    requireSendable(order)
    try {
      return await this.#send(this.#sharedStream(), order)
    } catch (error) {
      if (!(error instanceof StreamBroken) || this.#closed) throw error
      await this.#clock.pause(Math.max(this.#openableAt - this.#clock.elapsedMs(), 0) + TIMER_SLACK_MS)
      // After a too large answer, each waiting order gets its own stream: it can break no other order.
      return error.isTooLarge ? this.#executeAlone(order) : this.#send(this.#sharedStream(), order)
    }
  }

  acknowledge(organizationId: string, fingerprint: Uint8Array, credential: string): void {
    try {
      this.#sharedStream().acknowledge({ organizationId, fingerprint, credential })
    } catch {
      // Recover returns the outcome again.
    }
  }

  recover(organizationId: string, after: string) {
    return this.#transport.recover(organizationId, after)
  }
  readArchive(organizationId: string, position: ArchivePosition, pending: Uint8Array[]) {
    return this.#transport.readArchive(organizationId, position, pending)
  }
  expireActivities(organizationId: string, pending: Uint8Array[]) {
    return this.#transport.expireActivities(organizationId, pending)
  }
  listOrganizations(after: string) {
    return this.#transport.listOrganizations(after)
  }
  readSession(organizationId: string, publicKey: string) {
    return this.#transport.readSession(organizationId, publicKey)
  }
  getAuthProxyConfiguration(organizationId: string, nonce: Uint8Array, documents: Uint8Array[]) {
    return this.#transport.getAuthProxyConfiguration(organizationId, nonce, documents)
  }
  verifyAttestation(stamped: AttestedRead) {
    return this.#transport.verifyAttestation(stamped)
  }
  verifyIdToken(inquiry: IdTokenInquiry) {
    return this.#transport.verifyIdToken(inquiry)
  }

  orderOnRampStatus(record: Uint8Array, documents: Uint8Array[]) {
    return this.#transport.orderOnRampStatus(record, documents)
  }
  getOrganizationHead(organizationId: string, nonce: Uint8Array) {
    return this.#transport.getOrganizationHead(organizationId, nonce)
  }
  readGasUsage(organizationId: string) {
    return this.#transport.readGasUsage(organizationId)
  }
  readMetrics() {
    return this.#transport.readMetrics()
  }
  signWebhooks(statements: UnsignedWebhook[]) {
    return this.#transport.signWebhooks(statements)
  }

  getPins() {
    return this.#transport.getPins()
  }
  getBootProof() {
    return this.#transport.getBootProof()
  }
  readLog(first: number, count: number) {
    return this.#transport.readLog(first, count)
  }
  readLogTile(level: number, index: number, width: number) {
    return this.#transport.readLogTile(level, index, width)
  }
  readLogConsistency(oldSize: number, size: number) {
    return this.#transport.readLogConsistency(oldSize, size)
  }
  showCheckpoint(checkpoint: Uint8Array, replies?: WitnessReplies) {
    return this.#transport.showCheckpoint(checkpoint, replies)
  }
  probe(nonce: Uint8Array) {
    return this.#transport.probe(nonce)
  }

  /** Fails all waiting calls. */
  close(): void {
    this.#closed = true
    this.#shared = undefined
    for (const stream of this.#streams) stream.close(new Error("this process is stopping"))
    this.#transport.close()
  }

  async #executeAlone(order: OrderParts): Promise<SignerAnswer> {
    const stream = this.#open(() => undefined)
    try {
      return await this.#send(stream, order)
    } finally {
      this.#streams.delete(stream)
      stream.close(new Error("the order was answered"))
    }
  }

  #send(stream: OrderStream, order: OrderParts): Promise<SignerAnswer> {
    return inSpan("order to the signer", (span) => this.#sendTimed(stream, order, span), "client")
  }

  async #sendTimed(stream: OrderStream, order: OrderParts, span?: OpenSpan): Promise<SignerAnswer> {
    const beganMs = this.#clock.elapsedMs()
    const done = (kind: RoundTrip) => this.#onRoundTrip(kind, (this.#clock.elapsedMs() - beganMs) / 1000)
    const startNs = span && nowNs()
    try {
      const { answer, durations } = await stream.execute(order, span !== undefined)
      done(answer.case ?? "lost")
      if (span && startNs !== undefined && durations) showDurations(span, startNs, durations)
      return answer
    } catch (error) {
      done("lost")
      throw error
    }
  }

  #sharedStream(): OrderStream {
    if (this.#shared !== undefined) return this.#shared
    if (this.#clock.elapsedMs() < this.#openableAt) throw new StreamBroken("the stream has just broken")
    const stream = this.#open(() => {
      // A former stream has ended, as it should.
      if (this.#shared !== stream) return
      this.#shared = undefined
      this.#openableAt = this.#clock.elapsedMs() + REOPEN_PAUSE_MS
    })
    this.#shared = stream
    return stream
  }

  /** Later orders go over another stream, on a connection with the present certificate. */
  #renewStream(): void {
    const former = this.#shared
    this.#shared = undefined
    former?.retire()
  }

  /** @throws StreamBroken */
  #open(onBroken: () => void): OrderStream {
    if (this.#closed) throw new StreamBroken("this process is stopping")
    try {
      const stream = new OrderStream(this.#transport, () => {
        this.#streams.delete(stream)
        onBroken()
      })
      this.#streams.add(stream)
      return stream
    } catch (cause) {
      throw new StreamBroken(cause)
    }
  }
}

/** A message over the signer's limit would break the stream for all waiting orders. */
function requireSendable(order: OrderParts): void {
  if (maxBytes(order) <= MAX_MESSAGE_BYTES) return
  throw new ApiError(
    GrpcCode.invalidArgument,
    "the request and the records it needs are too large for one decision; split the request",
    { status: 413, publicCode: "REQUEST_INVALID", reason: "REQUEST_TOO_LARGE" },
  )
}

/**
 * Shows inside the span what the signer says about its own time. Its clock is another one: the way there and back is
 * taken as equally long.
 */
function showDurations(span: OpenSpan, startNs: bigint, { waitedNs, ranNs }: OrderDurations): void {
  const wayNs = nowNs() - startNs - waitedNs - ranNs
  const arrivedNs = startNs + (wayNs > 0n ? wayNs / 2n : 0n)
  span.inside("waits in the signer", arrivedNs, arrivedNs + waitedNs)
  span.inside("runs in the signer", arrivedNs + waitedNs, arrivedNs + waitedNs + ranNs)
}
