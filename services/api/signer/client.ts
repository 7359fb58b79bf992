import { MAX_MESSAGE_BYTES } from "../../../signer/core/wire.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { mostBytes, OrderStream, StreamBroken } from "./stream.ts"
import type { SignerAnswer, OrderParts, Signer, SignerTransport } from "./signer.ts"

/** Between two attempts to open the stream. */
const REOPEN_PAUSE_MS = 200
/** A timer may fire a little before its time by the finer clock. */
const TIMER_SLACK_MS = 5

/** One stream for all requests of this process; its breaking ends what waits on it, and the next call reopens it. */
export class SignerClient implements Signer {
  readonly #link: SignerTransport
  readonly #streams = new Set<OrderStream>()
  #shared: OrderStream | undefined
  #openableAt = 0
  #closed = false

  constructor(link: SignerTransport) {
    this.#link = link
  }

  /** The signer decides a body at most once, so that sending it again is safe; it is done once. */
  async execute(order: OrderParts): Promise<SignerAnswer> {
    requireSendable(order)
    try {
      return await this.#share().execute(order)
    } catch (error) {
      if (!(error instanceof StreamBroken) || this.#closed) throw error
      await pause(Math.max(this.#openableAt - performance.now(), 0) + TIMER_SLACK_MS)
      // Each of the suspects gets a stream of its own: the culprit takes nobody with it again.
      return error.isTooLarge ? this.#executeAlone(order) : this.#share().execute(order)
    }
  }

  acknowledge(organizationId: string, fingerprint: Uint8Array, credential: string): void {
    try {
      this.#share().acknowledge({ organizationId, fingerprint, credential })
    } catch {
      // Offered again by Recover.
    }
  }

  recover(organizationId: string, after: string) {
    return this.#link.recover(organizationId, after)
  }
  readArchive(organizationId: string, afterRecordId: string) {
    return this.#link.readArchive(organizationId, afterRecordId)
  }
  readSession(organizationId: string, publicKey: string) {
    return this.#link.readSession(organizationId, publicKey)
  }
  getOrganizationHead(organizationId: string, nonce: Uint8Array) {
    return this.#link.getOrganizationHead(organizationId, nonce)
  }
  getPins() {
    return this.#link.getPins()
  }
  getBootProof() {
    return this.#link.getBootProof()
  }
  probe(nonce: Uint8Array) {
    return this.#link.probe(nonce)
  }

  /** Waiting calls fail; callers have finished theirs before. */
  close(): void {
    this.#closed = true
    this.#shared = undefined
    for (const stream of this.#streams) stream.close(new Error("this process is stopping"))
    this.#link.close()
  }

  async #executeAlone(order: OrderParts): Promise<SignerAnswer> {
    const stream = this.#open(() => undefined)
    try {
      return await stream.execute(order)
    } finally {
      this.#streams.delete(stream)
      stream.close(new Error("the order was answered"))
    }
  }

  #share(): OrderStream {
    if (this.#shared !== undefined) return this.#shared
    if (performance.now() < this.#openableAt) throw new StreamBroken("the stream has just broken")
    this.#shared = this.#open(() => {
      this.#shared = undefined
      this.#openableAt = performance.now() + REOPEN_PAUSE_MS
    })
    return this.#shared
  }

  /** @throws StreamBroken */
  #open(onBroken: () => void): OrderStream {
    if (this.#closed) throw new StreamBroken("this process is stopping")
    try {
      const stream = new OrderStream(this.#link, () => {
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

/** A message over the signer's bound would break the stream, with all that waits on it. */
function requireSendable(order: OrderParts): void {
  if (mostBytes(order) <= MAX_MESSAGE_BYTES) return
  throw new ApiError(
    GrpcCode.invalidArgument,
    "the request and what it concerns are too large to be decided at once; ask for less in one request",
    { status: 413, publicCode: "REQUEST_INVALID", reason: "REQUEST_TOO_LARGE" },
  )
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
