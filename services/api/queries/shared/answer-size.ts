import { ApiError, GrpcCode } from "../../../common/api-error.ts"

/** Largest answer of a query without pages, bytes. */
export const MAX_LIST_BYTES = 32 * 1024 * 1024

/** The bytes that an answer without pages has so far. */
export class AnswerSize {
  readonly #instead: string
  readonly #max: number
  #bytes = 0

  /** @param instead the queries that answer with less */
  constructor(instead: string, max = MAX_LIST_BYTES) {
    this.#instead = instead
    this.#max = max
  }

  /** Counts one item of a list. @throws ApiError 400 LIST_TOO_LARGE */
  add(text: string): void {
    this.#bytes += Buffer.byteLength(text) + 1
    if (this.#bytes <= this.#max) return
    const sentence = `the answer exceeds ${this.#max / 1024 / 1024} MiB, and this query has no pages: use ${this.#instead}`
    throw new ApiError(GrpcCode.outOfRange, sentence, {
      publicCode: "REQUEST_INVALID",
      reason: "LIST_TOO_LARGE",
    })
  }
}
