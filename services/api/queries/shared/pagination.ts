import type { PaginationOptions } from "../../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { invalid } from "../../errors.ts"
import type { Page, Paged } from "../../store/page.ts"

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 100

/** @throws ApiError 400 for a limit outside 1 to 100, and for `before` together with `after` */
export function readPagination(options: PaginationOptions | undefined): Page {
  const { limit, before, after } = options ?? {}
  if (limit !== undefined && !isLimit(limit)) {
    throw invalid(
      `paginationOptions.limit must be a whole number from 1 to ${MAX_LIMIT}, in decimal digits`,
      "paginationOptions.limit",
    )
  }
  if (before !== undefined && after !== undefined) {
    throw invalid(
      "paginationOptions.before and paginationOptions.after exclude each other",
      "paginationOptions",
    )
  }
  return {
    limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
    before: before?.toLowerCase(),
    after: after?.toLowerCase(),
  }
}

/** The rows of a page. @throws ApiError 400 for an unknown cursor */
export function requirePage<Row>(paged: Paged<Row>): Row[] {
  if ("rows" in paged) return paged.rows
  const field = `paginationOptions.${paged.unknownCursor}`
  throw invalid(`${field} is not the id of an object in this list`, field)
}

function isLimit(text: string): boolean {
  return /^[0-9]{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_LIMIT
}
