import { isJsonObject } from "../../proto/strict-json.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import { writeTraceparent } from "../common/tracing/trace-context.ts"
import { currentTrace, inSpan } from "../common/tracing/tracer.ts"

/** A reply of the core API. `text`: its body, JSON. */
export type CoreReply = { status: number; text: string }

type CoreRequest = { method: string; headers?: { [name: string]: string }; body?: string }

/** Longest wait for one reply: the API answers within its own bound of 10 s. */
const TIMEOUT_MS = 12_000

/** Largest reply, bytes. An activity with its votes is far smaller. */
const MAX_REPLY_BYTES = 4 * 1024 * 1024

/** The core API, over HTTP. It is not trusted: the proxy passes its replies on, and checks those that it relies on. */
export class CoreApi {
  readonly #url: string

  /** @param url its origin */
  constructor(url: string) {
    this.#url = url
  }

  get(path: string): Promise<CoreReply> {
    return this.#exchange(path, { method: "GET" })
  }

  post(path: string, body: string, xStamp: string): Promise<CoreReply> {
    const headers = { "content-type": "application/json", "x-stamp": xStamp }
    return this.#exchange(path, { method: "POST", headers, body })
  }

  /** @throws ApiError 503 */
  #exchange(path: string, request: CoreRequest): Promise<CoreReply> {
    return inSpan("request to the API", () => this.#send(path, request), "client")
  }

  async #send(path: string, request: CoreRequest): Promise<CoreReply> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const trace = currentTrace()
      const headers = { ...request.headers, ...(trace && { traceparent: writeTraceparent(trace) }) }
      const reply = await fetch(this.#url + path, { ...request, headers, redirect: "error", signal })
      const text = await readText(reply)
      if (!isJsonObject(JSON.parse(text))) throw new Error("the reply is no JSON object")
      return { status: reply.status, text }
    } catch (cause) {
      throw coreUnavailable(cause)
    }
  }
}

/** The core API gave no reply, or one that is not of its interface. */
export function coreUnavailable(cause: unknown): ApiError {
  return new ApiError(GrpcCode.unavailable, "the core API cannot be reached now; try again", {
    publicCode: "INTERNAL",
    reason: "CORE_API_UNAVAILABLE",
    cause,
  })
}

type Json = { readonly [member: string]: unknown }

/** A member of a reply that is an object. @throws ApiError 503 */
export function requireObject(reply: Json, name: string): { [member: string]: unknown } {
  const member = reply[name]
  if (isJsonObject(member)) return member
  throw coreUnavailable(new Error(`the reply has no object ${name}`))
}

/** A member of a reply that is a list. @throws ApiError 503 */
export function requireList(reply: Json, name: string): unknown[] {
  const member = reply[name]
  if (Array.isArray(member)) return member
  throw coreUnavailable(new Error(`the reply has no list ${name}`))
}

async function readText(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of reply.body ?? []) {
    length += chunk.length
    if (length > MAX_REPLY_BYTES) throw new Error("the reply is too long")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
