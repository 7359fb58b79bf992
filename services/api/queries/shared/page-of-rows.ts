import type { MessageInitShape } from "@bufbuild/protobuf"
import type { PageInfoSchema } from "../../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { isBackwards, type Page, type Paged } from "../../store/page.ts"

type List<Row> = { idOf: (row: Row) => string; isWanted?: (row: Row) => boolean }

/** A page of a list of the organization document, and its place among the wanted rows. A cursor may be any row of the list. */
export function pageOfRows<Row>(
  rows: readonly Row[],
  { idOf, isWanted = () => true }: List<Row>,
  page: Page,
): { paged: Paged<Row>; pageInfo: MessageInitShape<typeof PageInfoSchema> } {
  const { before, after, limit } = page
  const placeOf = (id: string) => rows.findIndex((row) => idOf(row) === id)
  const from = after === undefined ? 0 : placeOf(after) + 1
  const to = before === undefined ? rows.length : placeOf(before)
  if (after !== undefined && from === 0) return { paged: { unknownCursor: "after" }, pageInfo: {} }
  if (to === -1) return { paged: { unknownCursor: "before" }, pageInfo: {} }
  const wanted = rows.slice(from, to).filter(isWanted)
  const shown = isBackwards(page) ? wanted.slice(-limit) : wanted.slice(0, limit)
  const [first, last] = [shown[0], shown.at(-1)]
  return {
    paged: { rows: shown },
    pageInfo: {
      hasNextPage: last !== undefined && last !== rows.findLast(isWanted),
      hasPreviousPage: first !== undefined && first !== rows.find(isWanted),
      ...(first !== undefined && { startCursor: idOf(first) }),
      ...(last !== undefined && { endCursor: idOf(last) }),
    },
  }
}
