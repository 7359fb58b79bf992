import type { Deadline } from "../../signer/core/turns/deadline.ts"
import { ApiError, GrpcCode } from "./api-error.ts"

/** The signer refuses an order at the deadline; a database that is away refuses nothing. */
const GRACE_MS = 1000

/**
 * Waits for the answer to a request, but not past its deadline.
 *
 * @throws ApiError 503 after the deadline. The work goes on: the same body may be sent again.
 */
export async function inTime<Result>(
  work: Promise<Result>,
  { leftMs }: Pick<Deadline, "leftMs">,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), leftMs + GRACE_MS).unref()
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

function late(): ApiError {
  const sentence = "the database or the signer did not answer in time; the same body may be sent again"
  return new ApiError(GrpcCode.unavailable, sentence, { publicCode: "INTERNAL", reason: "UNAVAILABLE" })
}
