import type { Server, ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import type { HttpLimits } from "./http-limits.ts"

/** Requests under way are cut off after this time: callers wait 10 s at most, and some of it has passed. */
const CUT_OFF_MS = 8_000

const SWEEP_MS = 50

/** An open connection, with the bytes that had come on it at the latest poll. */
type Connection = { response: ServerResponse | undefined; bytesRead: number; quietSinceMs: number }

/**
 * Closes servers without a reset connection. They accept no new connection, and requests under way are answered. A client
 * might be sending a request on an idle connection at this moment, so those are closed when they have been quiet. A client
 * that sends one request after the other has sent its next one by then, and the answer ends the connection.
 */
export class ClosingListener {
  readonly #connections = new Map<Socket, Connection>()
  readonly #servers: Server[] = []
  readonly #quietMs: number

  constructor({ quietMs }: Pick<HttpLimits, "quietMs">) {
    this.#quietMs = quietMs
  }

  watch(server: Server): void {
    this.#servers.push(server)
    server.on("connection", (socket: Socket) => {
      this.#connections.set(socket, { response: undefined, bytesRead: 0, quietSinceMs: performance.now() })
      socket.once("close", () => this.#connections.delete(socket))
    })
    server.prependListener("request", ({ socket }, response) => {
      const connection = this.#connections.get(socket)
      if (connection !== undefined) connection.response = response
    })
  }

  /** Resolves when every connection is closed. */
  async close(): Promise<void> {
    const nowMs = performance.now()
    for (const connection of this.#connections.values()) connection.quietSinceMs = nowMs
    const sweep = setInterval(() => this.#closeQuiet(), SWEEP_MS)
    const cutOff = setTimeout(
      () => this.#servers.forEach((server) => server.closeAllConnections()),
      CUT_OFF_MS,
    )
    await Promise.all(this.#servers.map(stopAccepting))
    clearInterval(sweep)
    clearTimeout(cutOff)
  }

  #closeQuiet(): void {
    const nowMs = performance.now()
    for (const [socket, connection] of this.#connections) {
      const { response, bytesRead, quietSinceMs } = connection
      const isBusy = response !== undefined && !response.closed
      if (isBusy || socket.bytesRead !== bytesRead) {
        connection.bytesRead = socket.bytesRead
        connection.quietSinceMs = nowMs
      } else if (nowMs - quietSinceMs >= this.#quietMs) socket.destroySoon()
    }
  }
}

/** Resolves when the server has no connection any more. Node's own `close` would end idle connections at once. */
function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => resolve())
  })
}
