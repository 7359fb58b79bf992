import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** A body up to this length is read and dropped after its answer, so that the connection serves further requests. */
const MAX_DROPPED_BYTES = 64 * 1024

/** Time between the end of an answer and that of its connection. Closing a connection with unread bytes resets it, and the
 * caller would lose the answer. */
const LINGER_MS = 1000

/** True if the rest of a request's body is too long to be dropped, or of unknown length. */
export function isLongUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return (
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > MAX_DROPPED_BYTES
  )
}

/** Ends the connection of a request that was answered before its long body was read. Nothing more is read of it. */
export function closeOnUnreadBodies(server: Server): void {
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!isLongUnread(request)) return
    const { socket } = request
    // Node calls it after an answer with `Connection: close`.
    socket.destroySoon = () => {
      if (request.complete) Socket.prototype.destroySoon.call(socket)
      else endUnread(socket)
    }
    response.once("finish", () => {
      if (!request.complete) endUnread(socket)
    })
  })
}

function endUnread(socket: Socket): void {
  if (socket.writableEnded) return
  endThenClose(socket)
  // Node has begun to drop the body, and can be stopped at the next turn.
  setImmediate(() => socket.pause())
}

/** Sends the text and ends the connection, and closes it a moment later. */
export function endThenClose(socket: Duplex, text = ""): void {
  socket.end(text)
  const linger = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once("close", () => clearTimeout(linger))
}
