import { randomUUID } from "node:crypto"
import { type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { ApiError } from "./api-error.ts"
import { errorReply } from "./error-reply.ts"
import { httpFaultError, parserError } from "./http-faults.ts"
import type { Logger } from "./logger.ts"

/** So long the rest of a broken request is read and thrown away: a connection that is closed with bytes unread is
 * reset, and the caller would lose the answer. */
const LINGER_MS = 1000

/** The response to a connection's latest request, and the one before it. */
type Turns = { latest: ServerResponse; before: ServerResponse | undefined }

/**
 * Answers what Node refuses before there is a request to hand on, as every other error is answered: in JSON, with the
 * request's id, and with a line in the log. The connection is closed, as nobody knows where the next request begins.
 * Answers bear no name but their order, so that to good requests before it goes out first.
 */
export function answerBrokenRequests(server: Server, log: Logger): void {
  // Two are enough: responses of a connection are closed in the order of their requests.
  const turns = new WeakMap<Duplex, Turns>()
  const broken = new WeakSet<Duplex>()

  server.on("request", ({ socket }, response) => {
    turns.set(socket, { latest: response, before: turns.get(socket)?.latest })
  })
  server.on("connect", (_request, socket) => {
    socket.on("error", () => undefined)
    behind(turns.get(socket)?.latest, () => refuse(socket, httpFaultError("tunnel")))
  })
  server.on("clientError", (cause, socket) => {
    // The rest of the same request, which the parser refuses again.
    if (broken.has(socket)) return
    broken.add(socket)
    const error = parserError(cause)
    const { latest, before } = turns.get(socket) ?? {}
    if (latest === undefined || latest.req.complete) behind(latest, () => refuse(socket, error))
    else behind(before, () => refuseBody(socket, error, latest))
  })

  /** Of a body on its way: its handler waits for it in vain, or has answered without it. */
  function refuseBody(socket: Duplex, error: ApiError, response: ServerResponse): void {
    // It was late, and came while those before it were answered: its handler is at work.
    if (response.req.complete) behind(turns.get(socket)?.latest, () => close(socket))
    else if (response.headersSent) close(socket)
    else refuse(socket, error, response)
  }

  function refuse(socket: Duplex, error: ApiError, response?: ServerResponse): void {
    if (!socket.writable) return void socket.destroy()
    const requestId = String(response?.getHeader("X-Request-Id") ?? randomUUID())
    log.info({ operation: "unknown", status: error.status, requestId, reason: error.reason })
    // A slow sender would be read on, and what he asked for carried out.
    if (error.status === 408) socket.once("finish", () => socket.destroy())
    close(socket, replyText(error, requestId))
  }
}

function behind(response: ServerResponse | undefined, act: () => void): void {
  if (response === undefined || response.closed) act()
  else response.once("close", act)
}

/** Says what is to be said, and that it was the last; the rest of what comes is thrown away for a moment. */
function close(socket: Duplex, text = ""): void {
  socket.end(text)
  const linger = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once("close", () => clearTimeout(linger))
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
