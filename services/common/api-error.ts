import type { RefusalName } from "../../signer/core/refusal.ts"
import type { ServiceReason } from "./errors/service-reasons.ts"

/** Codes of google.rpc.Code that error bodies of the interface carry. */
export const GrpcCode = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const
export type GrpcCode = (typeof GrpcCode)[keyof typeof GrpcCode]

/** One item of `details`, in the JSON form of google.protobuf.Any. */
export type ErrorDetail = { "@type": string; [member: string]: unknown }

/** Body of every error reply. */
export type ErrorBody = { code: number; message: string; details: ErrorDetail[]; turnkeyErrorCode?: string }

/** The closed list of reasons that errors give. Each has a page at /docs/errors. */
export type Reason = RefusalName | ServiceReason

export type ApiErrorOptions = Named & {
  /** Path of the request's member at fault. */
  field?: string
  details?: ErrorDetail[]
  /** False: the public code is not repeated among the details. */
  codeDetail?: boolean
  /** HTTP status, if it is not the code's own (413, 405). */
  status?: number
  cause?: unknown
}

/**
 * `publicCode`: value of turnkeyErrorCode; absent for faults without a code in the interface. `reason`: the one in the log
 * and in the details; the public code when absent.
 */
type Named = { publicCode?: string; reason: Reason } | { publicCode?: Reason; reason?: undefined }

/** The only error that services throw on purpose. `message` is for the caller, `cause` for the log. */
export class ApiError extends Error {
  readonly code: GrpcCode
  readonly publicCode: string | undefined
  readonly status: number
  readonly reason: Reason
  readonly details: ErrorDetail[]

  constructor(code: GrpcCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = "ApiError"
    this.code = code
    this.publicCode = options.publicCode
    this.status = options.status ?? httpStatus(code)
    this.reason = options.reason ?? options.publicCode ?? "REQUEST_INVALID"
    this.details = [
      ...(options.codeDetail === false ? [] : codeDetail(options.publicCode)),
      ...fieldDetail(options.field, message),
      ...(options.details ?? []),
    ]
  }

  body(): ErrorBody {
    const { code, message, details, publicCode } = this
    return { code, message, details, ...(publicCode === undefined ? {} : { turnkeyErrorCode: publicCode }) }
  }
}

/** HTTP status of a google.rpc.Code. */
export function httpStatus(code: number): number {
  switch (code) {
    case GrpcCode.invalidArgument:
    case GrpcCode.failedPrecondition:
    case GrpcCode.outOfRange:
      return 400
    case GrpcCode.unauthenticated:
      return 401
    case GrpcCode.permissionDenied:
      return 403
    case GrpcCode.notFound:
      return 404
    case GrpcCode.alreadyExists:
    case GrpcCode.aborted:
      return 409
    case GrpcCode.resourceExhausted:
      return 429
    case GrpcCode.cancelled:
      return 499
    case GrpcCode.unimplemented:
      return 501
    case GrpcCode.unavailable:
      return 503
    case GrpcCode.deadlineExceeded:
      return 504
    default:
      return 500
  }
}

function codeDetail(publicCode: string | undefined): ErrorDetail[] {
  if (publicCode === undefined) return []
  return [{ "@type": "type.googleapis.com/errors.v1.TurnkeyErrorDetail", turnkeyErrorCode: publicCode }]
}

function fieldDetail(field: string | undefined, description: string): ErrorDetail[] {
  if (field === undefined || field === "") return []
  return [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field, description }] }]
}
