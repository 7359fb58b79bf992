import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { HttpLimits } from "./http-limits.ts"
import type { Logger } from "./logger.ts"

/** An answer that its caller has not read: bytes held for it, and the monotonic time of its end. */
type Unread = { socket: Socket; bytes: number; sinceMs: number }

/**
 * Bounds what callers can make a listener hold: connections, and answers that nobody reads. The connection that has
 * kept the process waiting longest is closed first, so a caller who waits on purpose cannot keep others out.
 */
export class ConnectionLimits {
  readonly #limits: HttpLimits
  readonly #log: Logger
  /** Connections ordered by their latest request, or their opening; the longest idle one first. */
  readonly #connections = new Set<Socket>()
  /** The response that a connection's latest request gets. */
  readonly #responses = new WeakMap<Socket, ServerResponse>()
  /** Responses that the client has not read yet, in the order in which they ended. */
  readonly #unread = new Map<ServerResponse, Unread>()
  #unreadBytes = 0
  #sweep: NodeJS.Timeout | undefined

  constructor(limits: HttpLimits, log: Logger) {
    this.#limits = limits
    this.#log = log
  }

  /** Watches a server until it is closed. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#open(socket))
    // Before the handler, which may answer at once.
    server.prependListener("request", ({ socket }, response) => this.#serve(socket, response))
    this.#sweep ??= setInterval(() => this.#closeSlowReaders(), this.#limits.checkEveryMs).unref()
    server.on("close", () => clearInterval(this.#sweep))
  }

  #open(socket: Socket): void {
    this.#connections.add(socket)
    socket.once("close", () => this.#connections.delete(socket))
    if (this.#connections.size <= this.#limits.maxConnections) return
    for (const each of this.#connections) {
      // The newest connection is the last of them, and has no request yet.
      if (this.#isHandled(each)) continue
      this.#connections.delete(each)
      return this.#close(each, "CONNECTIONS_TOO_MANY")
    }
  }

  /** True if a whole request of the connection is being handled. */
  #isHandled(socket: Socket): boolean {
    const response = this.#responses.get(socket)
    return response !== undefined && !response.writableEnded && response.req.complete
  }

  #serve(socket: Socket, response: ServerResponse): void {
    this.#responses.set(socket, response)
    this.#connections.delete(socket)
    this.#connections.add(socket)
    // Emitted when the whole answer was handed to the socket.
    response.once("prefinish", () => this.#hold(socket, response))
    response.once("close", () => this.#release(response))
  }

  #hold(socket: Socket, response: ServerResponse): void {
    const bytes = socket.writableLength
    this.#unread.set(response, { socket, bytes, sinceMs: performance.now() })
    this.#unreadBytes += bytes
    for (const [slowest, unread] of this.#unread) {
      if (this.#unreadBytes <= this.#limits.maxUnreadBytes) return
      this.#release(slowest)
      this.#close(unread.socket, "ANSWER_UNREAD")
    }
  }

  #release(response: ServerResponse): void {
    this.#unreadBytes -= this.#unread.get(response)?.bytes ?? 0
    this.#unread.delete(response)
  }

  #closeSlowReaders(): void {
    const dueMs = performance.now() - this.#limits.readAnswerMs
    for (const [response, { socket, sinceMs }] of this.#unread) {
      if (sinceMs > dueMs) return
      this.#release(response)
      this.#close(socket, "ANSWER_UNREAD")
    }
  }

  #close(socket: Socket, reason: string): void {
    this.#log.info({ reason }, "closed a connection that kept the listener waiting")
    socket.destroy()
  }
}
