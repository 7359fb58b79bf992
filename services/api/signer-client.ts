import { ApiError, GrpcCode } from "../common/api-error.ts"
import { unavailable } from "./errors.ts"
import type { Answer, ExecuteStream, OrderParts, Signer, SignerLink, StreamEvents } from "./signer.ts"

/** Longer than the signer takes for anything; what is behind it is decided anew when the body comes again. */
const ANSWER_TIMEOUT_MS = 30_000
/** Between two attempts to open the stream. */
const REOPEN_PAUSE_MS = 200
/** A timer may fire a little before its time by the finer clock. */
const TIMER_SLACK_MS = 5

type Waiting = { resolve(answer: Answer): void; reject(error: Error): void; timeout: NodeJS.Timeout }

/** One stream for all requests of this process; its breaking ends what waits on it, and the next call reopens it. */
export class SignerClient implements Signer {
  readonly #link: SignerLink
  readonly #waiting = new Map<bigint, Waiting>()
  #stream: ExecuteStream | undefined
  #nextId = 1n
  #openableAt = 0
  #closed = false

  constructor(link: SignerLink) {
    this.#link = link
  }

  async execute(order: OrderParts): Promise<Answer> {
    try {
      return await this.#send(order)
    } catch (error) {
      // The signer decides a body at most once, so that sending it again is safe.
      if (!(error instanceof StreamBroken) || this.#closed) throw error
      await pause(Math.max(this.#openableAt - performance.now(), 0) + TIMER_SLACK_MS)
      return this.#send(order)
    }
  }

  acknowledge(organizationId: string, fingerprint: Uint8Array, publicKey: string): void {
    const value = { organizationId, fingerprint, publicKey }
    const message = { case: "acknowledgement" as const, value }
    try {
      this.#open().write({ id: this.#nextId++, message })
    } catch {
      // Offered again by Recover.
    }
  }

  recover(organizationId: string) {
    return this.#link.recover(organizationId)
  }
  readArchive(organizationId: string, afterRecordId: string) {
    return this.#link.readArchive(organizationId, afterRecordId)
  }
  getOrganizationHead(organizationId: string, nonce: Uint8Array) {
    return this.#link.getOrganizationHead(organizationId, nonce)
  }
  getPins() {
    return this.#link.getPins()
  }

  /** Waiting calls fail; callers have finished theirs before. */
  close(): void {
    this.#closed = true
    this.#stream?.end()
    this.#stream = undefined
    this.#failAll(new Error("this process is stopping"))
    this.#link.close()
  }

  #send(order: OrderParts): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      const timeout = setTimeout(() => this.#expire(id), ANSWER_TIMEOUT_MS)
      this.#waiting.set(id, { resolve, reject, timeout })
      try {
        const stream = this.#open()
        stream.write({ id, message: { case: "order", value: order } })
      } catch (cause) {
        this.#take(id)?.reject(new StreamBroken(cause))
      }
    })
  }

  #open(): ExecuteStream {
    if (this.#stream !== undefined) return this.#stream
    if (this.#closed) throw new Error("this process is stopping")
    if (performance.now() < this.#openableAt) throw new Error("the stream to the signer has just broken")
    const events: StreamEvents = {
      onResponse: ({ id, answer }) => this.#take(id)?.resolve(answer),
      onBroken: (cause) => {
        if (this.#stream !== stream) return
        this.#stream = undefined
        this.#openableAt = performance.now() + REOPEN_PAUSE_MS
        this.#failAll(cause)
      },
    }
    const stream = this.#link.open(events)
    this.#stream = stream
    return stream
  }

  #take(id: bigint): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return undefined
    this.#waiting.delete(id)
    clearTimeout(waiting.timeout)
    return waiting
  }

  #expire(id: bigint): void {
    this.#take(id)?.reject(unavailable("the signer did not answer in time; the same body may be sent again"))
  }

  #failAll(cause: unknown): void {
    for (const id of this.#waiting.keys()) this.#take(id)?.reject(new StreamBroken(cause))
  }
}

/** The way to the signer is interrupted. */
class StreamBroken extends ApiError {
  constructor(cause: unknown) {
    super(GrpcCode.unavailable, "the signer cannot be reached now; the same body may be sent again", {
      publicCode: "INTERNAL",
      reason: "SIGNER_UNREACHABLE",
      cause,
    })
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
