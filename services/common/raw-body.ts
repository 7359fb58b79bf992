import type { IncomingMessage, ServerResponse } from "node:http"
import { ApiError, GrpcCode } from "./api-error.ts"
import { BodyBudget } from "./body-budget.ts"

/**
 * A body that is too large is read and dropped up to this many times the limit before the connection is cut. Most clients read
 * a reply only after they have sent everything.
 */
const DISCARD_FACTOR = 16

/** Memory of a chunk beyond its bytes: a body may arrive one byte at a time. */
const CHUNK_OVERHEAD = 256

/** Memory for a body of declared length, in multiples of the bytes that have arrived: a caller may declare a length and send nothing. */
const ROOM_FACTOR = 4

/** Bodies that this process is reading. */
const BODIES = new BodyBudget()

/** A request and its response. */
type Exchange = { req: IncomingMessage; res: Pick<ServerResponse, "writeContinue"> }

/**
 * The body as it was sent: a stamp covers these bytes. At most the limit is kept in memory. A caller who waits for it is
 * asked to send the body only here (RFC 9110, section 10.1.1).
 *
 * @throws ApiError with HTTP 413; 503 BODIES_TOO_MANY when other bodies need the memory
 */
export function readRawBody(
  { req: request, res: response }: Exchange,
  limit: number,
  budget = BODIES,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The request may have waited for its place: a closed one has no further events.
    if (request.destroyed) return reject(abandoned())
    if (request.headers.expect !== undefined) response.writeContinue()
    const declared = Number(request.headers["content-length"])
    const tooLarge = declared > limit
    const gathered = declared <= limit ? new WholeBody(declared) : new Chunks()
    let length = 0
    let isDropped = tooLarge
    const held = { bytes: 0, giveUp: () => fail(givenUp()) }
    budget.begin(held)
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length > limit * DISCARD_FACTOR) return fail(tooLargeError(limit))
      if (length > limit) drop()
      if (isDropped) return
      budget.add(held, gathered.add(chunk))
    })
    request.on("end", () => {
      if (length > limit || tooLarge) return fail(tooLargeError(limit))
      if (isDropped) return
      budget.end(held)
      resolve(gathered.bytes())
    })
    request.on("error", (cause) => fail(abandoned(cause)))
    request.on("close", () => {
      if (!request.readableEnded) fail(abandoned())
    })
    function drop(): void {
      isDropped = true
      gathered.drop()
      budget.end(held)
    }
    function fail(error: ApiError): void {
      drop()
      reject(error)
    }
  })
}

/** Chunks of a body of unknown length. */
class Chunks {
  #chunks: Buffer[] = []

  /** Returns the memory that the chunk takes. */
  add(chunk: Buffer): number {
    this.#chunks.push(chunk)
    return chunk.length + CHUNK_OVERHEAD
  }

  drop(): void {
    this.#chunks = []
  }

  bytes(): Buffer {
    const [only, ...others] = this.#chunks
    return only !== undefined && others.length === 0 ? only : Buffer.concat(this.#chunks)
  }
}

/**
 * The chunks of a body of declared length, copied as they arrive: copying all of a large body at its end would take a
 * millisecond. HTTP ends a body at its declared length.
 */
class WholeBody {
  readonly #declared: number
  #body: Buffer | undefined
  #length = 0

  constructor(declared: number) {
    this.#declared = declared
  }

  /** Returns the memory that the body takes more than before. */
  add(chunk: Buffer): number {
    const before = this.#body?.length ?? 0
    if (chunk.length === this.#declared) this.#body = chunk
    else chunk.copy(this.#roomFor(this.#length + chunk.length), this.#length)
    this.#length += chunk.length
    return (this.#body?.length ?? 0) - before
  }

  #roomFor(length: number): Buffer {
    if (this.#body !== undefined && this.#body.length >= length) return this.#body
    const body = Buffer.allocUnsafeSlow(Math.min(this.#declared, ROOM_FACTOR * length))
    this.#body?.copy(body)
    this.#body = body
    return body
  }

  drop(): void {
    this.#body = undefined
  }

  bytes(): Buffer {
    return this.#body?.subarray(0, this.#length) ?? Buffer.alloc(0)
  }
}

/** Other bodies needed the memory that this one held. */
function givenUp(): ApiError {
  return new ApiError(
    GrpcCode.unavailable,
    "the request was not sent to its end while other requests needed its memory; send it again",
    { publicCode: "INTERNAL", reason: "BODIES_TOO_MANY" },
  )
}

function tooLargeError(limit: number): ApiError {
  return new ApiError(GrpcCode.invalidArgument, `bad request body: it is longer than ${limit} bytes`, {
    status: 413,
    publicCode: "REQUEST_INVALID",
    reason: "REQUEST_TOO_LARGE",
  })
}

/** The error of an incomplete request. Only the log shows it: the caller has disconnected. */
function abandoned(cause?: unknown): ApiError {
  return new ApiError(GrpcCode.cancelled, "the request was not sent to its end", {
    reason: "ABANDONED",
    cause,
  })
}
