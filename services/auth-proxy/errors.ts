import { ApiError, GrpcCode } from "../common/api-error.ts"

/** The one mapping of whatever is thrown in this service to the wire. What is not known here tells nothing. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  return new ApiError(GrpcCode.internal, "internal server error", { publicCode: "INTERNAL", cause: thrown })
}
