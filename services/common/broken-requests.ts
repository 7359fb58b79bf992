import { randomUUID } from "node:crypto"
import { type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { ApiError } from "./api-error.ts"
import { errorReply } from "./error-reply.ts"
import { httpFaultError, parserError } from "./http-faults.ts"
import type { Logger } from "./logger.ts"
import { endThenClose } from "./unread-bodies.ts"

/** The responses to a connection's latest request and to the one before it. */
type LatestResponses = { latest: ServerResponse; before: ServerResponse | undefined }

/**
 * Replies to bytes that Node refuses before there is a request. As for every other error, the reply is JSON with a request id,
 * and is logged. The connection is closed, because the start of the next request is unknown. Replies on a connection are
 * matched by their order, so the replies to earlier requests are sent first.
 */
export function answerBrokenRequests(server: Server, log: Logger): void {
  // Two responses are enough: a connection's responses close in the order of their requests.
  const turns = new WeakMap<Duplex, LatestResponses>()
  const broken = new WeakSet<Duplex>()

  server.on("request", ({ socket }, response) => {
    turns.set(socket, { latest: response, before: turns.get(socket)?.latest })
  })
  server.on("connect", (_request, socket) => {
    socket.on("error", () => undefined)
    afterResponse(turns.get(socket)?.latest, () => refuse(socket, httpFaultError("tunnel")))
  })
  server.on("clientError", (cause, socket) => {
    // The parser refuses the rest of the same request again.
    if (broken.has(socket)) return
    broken.add(socket)
    const error = parserError(cause)
    const { latest, before } = turns.get(socket) ?? {}
    if (latest === undefined || latest.req.complete) afterResponse(latest, () => refuse(socket, error))
    else afterResponse(before, () => refuseBody(socket, error, latest))
  })

  /** Refuses a broken body: its handler still waits for it, or has replied without it. */
  function refuseBody(socket: Duplex, error: ApiError, response: ServerResponse): void {
    // The body is complete now, and its handler runs.
    if (response.req.complete) afterResponse(turns.get(socket)?.latest, () => endThenClose(socket))
    else if (response.headersSent) endThenClose(socket)
    else refuse(socket, error, response)
  }

  function refuse(socket: Duplex, error: ApiError, response?: ServerResponse): void {
    if (!socket.writable) return void socket.destroy()
    const requestId = String(response?.getHeader("X-Request-Id") ?? randomUUID())
    log.info({ operation: "unknown", status: error.status, requestId, reason: error.reason })
    // Otherwise a slow sender's request would still be read and run.
    if (error.status === 408) socket.once("finish", () => socket.destroy())
    endThenClose(socket, replyText(error, requestId))
  }
}

function afterResponse(response: ServerResponse | undefined, act: () => void): void {
  if (response === undefined || response.closed) act()
  else response.once("close", act)
}

function replyText(error: ApiError, requestId: string): string {
  const body = JSON.stringify(errorReply(error, { requestId }))
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    `Date: ${new Date().toUTCString()}`,
    `X-Request-Id: ${requestId}`,
    "Access-Control-Allow-Origin: *",
    "",
    body,
  ].join("\r\n")
}
