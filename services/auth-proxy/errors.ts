import { ReadFault } from "../../proto/read.ts"
import { StrictJsonError } from "../../proto/strict-json.ts"
import { ApiError, GrpcCode, type Reason } from "../common/api-error.ts"

/** The one mapping of thrown errors to the wire in this service. Unknown errors become INTERNAL without their text. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof ReadFault) return invalid(`invalid request body: ${thrown.sentence}`, thrown.path)
  if (thrown instanceof StrictJsonError)
    return invalid(`bad request body: it is not strict JSON: ${thrown.message}`, "", "REQUEST_MALFORMED")
  return new ApiError(GrpcCode.internal, "internal server error", { publicCode: "INTERNAL", cause: thrown })
}

function invalid(sentence: string, field: string, reason: Reason = "REQUEST_INVALID"): ApiError {
  return new ApiError(GrpcCode.invalidArgument, sentence, { publicCode: "REQUEST_INVALID", field, reason })
}
