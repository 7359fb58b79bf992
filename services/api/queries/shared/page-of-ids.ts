import type { MessageInitShape } from "@bufbuild/protobuf"
import type { PageInfoSchema } from "../../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { type Page, type Paged, readPage } from "../../store/page.ts"

/** A page of ids in ascending order, with its place among them. */
export async function pageOfIds(
  ids: readonly string[],
  page: Page,
): Promise<{ paged: Paged<string>; pageInfo: MessageInitShape<typeof PageInfoSchema> }> {
  const paged = await readPage(
    "ascending",
    page,
    async (id) => ids.includes(id),
    async ({ above, below, ascending, limit }) => {
      const between = ids.filter((id) => above < id && id < below)
      return (ascending ? between : between.toReversed()).slice(0, limit)
    },
  )
  const [first, last] = "rows" in paged ? [paged.rows[0], paged.rows.at(-1)] : []
  return {
    paged,
    pageInfo: {
      hasNextPage: last !== undefined && last !== ids.at(-1),
      hasPreviousPage: first !== undefined && first !== ids[0],
      ...(first !== undefined && { startCursor: first }),
      ...(last !== undefined && { endCursor: last }),
    },
  }
}
