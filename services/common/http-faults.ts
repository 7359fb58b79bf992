import { ApiError, GrpcCode, type Reason } from "./api-error.ts"
import { MAX_HEADER_BYTES } from "./http-limits.ts"

/** HTTP faults of a request to any operation. */
type HttpFault =
  | "malformed"
  | "host"
  | "target"
  | "expectation"
  | "headers"
  | "extensions"
  | "timeout"
  | "tunnel"

/** The reply to a fault that Node's parser or its timeouts found. */
export function parserError(cause: Error & { code?: string; reason?: string }): ApiError {
  switch (cause.code) {
    case "HPE_HEADER_OVERFLOW":
      return httpFaultError("headers")
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return httpFaultError("extensions")
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return httpFaultError("timeout")
    default:
      // One of the parser's fixed sentences, without text of the request.
      return httpFaultError("malformed", cause.reason)
  }
}

/** The reply to a request that is not well-formed HTTP. */
export function httpFaultError(fault: HttpFault, reason = "it breaks off"): ApiError {
  switch (fault) {
    case "malformed":
      return refused(400, "HTTP_MALFORMED", `bad request: it is not well-formed HTTP/1.1: ${reason}`)
    case "host":
      return refused(400, "HTTP_MALFORMED", "bad request: HTTP/1.1 demands a Host header")
    case "target":
      return refused(400, "HTTP_MALFORMED", "bad request: its target is neither a path nor a URL")
    case "expectation":
      return refused(417, "EXPECTATION_UNKNOWN", "bad request: the only known Expect is 100-continue")
    case "headers":
      return refused(
        431,
        "HEADERS_TOO_LARGE",
        `bad request: its first line and headers are longer than ${MAX_HEADER_BYTES} bytes`,
      )
    case "extensions":
      return refused(413, "REQUEST_TOO_LARGE", "bad request body: the extensions of its chunks are too long")
    case "timeout":
      return new ApiError(GrpcCode.deadlineExceeded, "the request was not sent to its end in time", {
        status: 408,
        publicCode: "REQUEST_INVALID",
        reason: "REQUEST_TIMEOUT",
      })
    case "tunnel":
      return new ApiError(GrpcCode.unimplemented, "this is no proxy: CONNECT is not served", {
        status: 405,
        reason: "METHOD_WRONG",
      })
    default:
      return fault satisfies never
  }
}

function refused(status: number, reason: Reason, sentence: string): ApiError {
  return new ApiError(GrpcCode.invalidArgument, sentence, { status, reason, publicCode: "REQUEST_INVALID" })
}
