import type { Deadline } from "../../../signer/core/turns/deadline.ts"
import { unavailable } from "../errors.ts"

/** The signer refuses an order at the deadline; a database that is away refuses nothing. */
const GRACE_MS = 1000

/**
 * Waits for the answer to a request, but not past its deadline.
 *
 * @throws ApiError 503 after the deadline. The work goes on: the same body may be sent again.
 */
export async function inTime<Result>(work: Promise<Result>, { leftMs }: Deadline): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const sentence = "the database or the signer did not answer in time; the same body may be sent again"
    timer = setTimeout(() => reject(unavailable(sentence)), leftMs + GRACE_MS).unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
