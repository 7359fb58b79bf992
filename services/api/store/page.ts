import { HIGHEST_UUID, isUuid, LOWEST_UUID } from "./uuid.ts"

/** Which part of a list is wanted. `after` follows the cursor in the list's own order, `before` precedes it. */
export type Page = { limit: number; before?: string | undefined; after?: string | undefined }

/** The caller turns an unknown cursor into a 400: an empty page would look like the end of the list. */
export type Paged<Row> = { rows: Row[] } | { unknownCursor: "before" | "after" }

/** The rows with `above < id < below`, the first `limit` of them in the given direction. */
export type Window = { above: string; below: string; ascending: boolean; limit: number }

/** No reader asks for more at once; whoever wants more walks. */
const MOST_ROWS = 1_000

/**
 * Cuts one page out of a list ordered by id. `isKnown` says whether a cursor exists, `fetch` reads a window.
 * A page before a cursor is the one that ends there, so it is read backwards and turned round.
 */
export async function readPage<Row>(
  order: "ascending" | "descending",
  page: Page,
  isKnown: (id: string) => Promise<boolean>,
  fetch: (window: Window) => Promise<Row[]>,
): Promise<Paged<Row>> {
  for (const side of ["before", "after"] as const) {
    const cursor = page[side]
    if (cursor !== undefined && !(isUuid(cursor) && (await isKnown(cursor)))) return { unknownCursor: side }
  }
  const isAscending = order === "ascending"
  const isBackwards = page.before !== undefined && page.after === undefined
  const rows = await fetch({
    above: (isAscending ? page.after : page.before) ?? LOWEST_UUID,
    below: (isAscending ? page.before : page.after) ?? HIGHEST_UUID,
    ascending: isAscending !== isBackwards,
    limit: Math.min(page.limit, MOST_ROWS),
  })
  return { rows: isBackwards ? rows.toReversed() : rows }
}
