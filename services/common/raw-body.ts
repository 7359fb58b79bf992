import type { IncomingMessage } from "node:http"
import { ApiError, GrpcCode } from "./api-error.ts"

/** A body that is too large is read and dropped up to this many times the limit before the connection is cut: most
 * clients read a reply only after they have sent everything. */
const DISCARD_FACTOR = 16

/**
 * The body as it was sent: a stamp covers these bytes. No more than the limit is kept in memory.
 *
 * @throws ApiError with HTTP 413
 */
export function readRawBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const tooLarge = Number(request.headers["content-length"] ?? 0) > limit
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit && !tooLarge) chunks.push(chunk)
      else if (length > limit * DISCARD_FACTOR) fail(tooLargeError(limit))
      else chunks.length = 0
    })
    request.on("end", () => {
      if (length > limit || tooLarge) fail(tooLargeError(limit))
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length))
    })
    request.on("error", (cause) => fail(abandoned(cause)))
    request.on("close", () => {
      if (!request.complete) fail(abandoned())
    })
    function fail(error: ApiError): void {
      chunks.length = 0
      reject(error)
    }
  })
}

function tooLargeError(limit: number): ApiError {
  return new ApiError(GrpcCode.invalidArgument, `bad request body: it is longer than ${limit} bytes`, {
    status: 413,
    publicCode: "REQUEST_INVALID",
    reason: "REQUEST_TOO_LARGE",
  })
}

/** Only the log shows this error: the caller is gone. */
function abandoned(cause?: unknown): ApiError {
  return new ApiError(GrpcCode.cancelled, "the request was not sent to its end", {
    reason: "ABANDONED",
    cause,
  })
}
