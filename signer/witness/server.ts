import { hash } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { MAX_ADD_CHECKPOINT_BYTES } from "../core/log/add-checkpoint.ts"
import { addCheckpoint, type WitnessParts, type WitnessReply } from "../core/log/witness.ts"
import { errorFields, log } from "../process/log.ts"

/** Limits of the listener. A request is short, and its answer follows at once. */
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
}
const MAX_CONNECTIONS = 512

const TEXT = "text/plain; charset=utf-8"

/**
 * The witness over HTTP: POST add-checkpoint, and GET head/<SHA-256 of an origin>, the latest head of a log that was cosigned, as the
 * log signed it. The second is evidence for a signer that was set back.
 */
export function witnessServer(parts: WitnessParts, terminate: (error: unknown) => never): Server {
  const server = createServer({ ...LIMITS, connectionsCheckingInterval: 2_000 }, (request, response) => {
    answer(request, parts).then(
      (reply) => send(response, reply),
      (error: unknown) => {
        if (!isFaultOfRequest(error)) terminate(error)
        request.destroy()
      },
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

/** A connection that ended is no fault of the store, which ends the process. */
function isFaultOfRequest(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE"
}

async function answer(request: IncomingMessage, parts: WitnessParts): Promise<WitnessReply> {
  const [path = ""] = (request.url ?? "").split("?")
  if (path === "/add-checkpoint") {
    if (request.method !== "POST")
      return { status: 405, type: TEXT, text: "add-checkpoint is called with POST\n" }
    const body = await readBody(request)
    if (body === undefined)
      return { status: 413, type: TEXT, text: `a request has at most ${MAX_ADD_CHECKPOINT_BYTES} bytes\n` }
    const reply = addCheckpoint(body, parts)
    log("info", "add-checkpoint", { status: reply.status })
    return reply
  }
  const [, digest] = /^\/head\/([0-9a-f]{64})$/.exec(path) ?? []
  const origin = parts.logs.find(({ name }) => hash("sha256", name) === digest)?.name
  const head = origin === undefined ? undefined : parts.heads.read(origin)
  if (head === undefined || request.method !== "GET")
    return {
      status: 404,
      type: TEXT,
      text: "ask for POST add-checkpoint, or GET head/<SHA-256 of an origin>\n",
    }
  return { status: 200, type: TEXT, text: Buffer.from(head.note).toString() }
}

/** Undefined: it is too long, and the rest is not read. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_ADD_CHECKPOINT_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function send(response: ServerResponse, { status, type, text }: WitnessReply): void {
  if (status === 413) response.shouldKeepAlive = false
  response.writeHead(status, {
    "Content-Type": type,
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
  })
  response.end(text)
}

/** Logs a fault that ends the process: what is on disk is found out by the next start. */
export function logFault(error: unknown): void {
  log("error", "the store of heads failed", errorFields(error))
}
