import { ApiError, GrpcCode } from "../common/api-error.ts"

/** The one mapping of thrown errors to the wire in this service. Unknown errors become INTERNAL without their text. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  return new ApiError(GrpcCode.internal, "internal server error", { publicCode: "INTERNAL", cause: thrown })
}
