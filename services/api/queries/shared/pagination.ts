import type { PaginationOptions } from "../../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { inSlices, type Steps } from "../../../../signer/core/turns/steps.ts"
import { invalid } from "../../errors.ts"
import { isBackwards, type Page, type Paged } from "../../store/page.ts"
import type { QueryContext } from "./query.ts"
import { answerSlices } from "./text-in-slices.ts"

const DEFAULT_LIMIT = 10
/**
 * Limit on the text of one page, before and after it is shaped. The text of a page is sent in one turn of the event
 * loop, where other requests wait for it.
 */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024

/** @throws ApiError 400 for `before` together with `after` */
export function readPagination(options: PaginationOptions | undefined): Page {
  const { limit, before, after } = options ?? {}
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
  return requireRows(paged).rows
}

function requireRows<Row>(paged: Paged<Row>): Extract<Paged<Row>, { rows: Row[] }> {
  if ("rows" in paged) return paged
  const field = `paginationOptions.${paged.unknownCursor}`
  throw invalid(`${field} is not the id of an object in this list`, field)
}

/**
 * Texts of a page's rows, in the list's order: as many as fit the limit, from the cursor on, and at least one. Calls
 * `endPageAt` with the last row's id if the page ends early. The texts are written in slices, so they delay no other
 * request.
 *
 * @throws ApiError 400 for an unknown cursor
 */
export function textsOfPage<Row extends { id: string }>(
  paged: Paged<Row>,
  page: Page,
  textOf: (row: Row) => string,
  { callerOrganization, endPageAt }: Pick<QueryContext, "callerOrganization" | "endPageAt">,
): Promise<string[]> {
  return inSlices(write(paged, isBackwards(page), textOf, endPageAt), callerOrganization.id, answerSlices)
}

function* write<Row extends { id: string }>(
  paged: Paged<Row>,
  backwards: boolean,
  textOf: (row: Row) => string,
  endPageAt: QueryContext["endPageAt"],
): Steps<string[]> {
  const { rows, isCut = false } = requireRows(paged)
  const texts: string[] = []
  let bytes = 0
  let last: Row | undefined
  for (const row of backwards ? rows.toReversed() : rows) {
    const text = textOf(row)
    bytes += Buffer.byteLength(text)
    if (last !== undefined && bytes > MAX_PAGE_BYTES) break
    texts.push(text)
    last = row
    yield
  }
  if (last !== undefined && (isCut || texts.length < rows.length)) endPageAt(last.id)
  return backwards ? texts.toReversed() : texts
}
