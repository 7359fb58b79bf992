import { HIGHEST_UUID, isUuidInAnyCase, LOWEST_UUID } from "./uuid.ts"

/** A part of a list: items after or before a cursor, in the list's own order. */
export type Page = { limit: number; before?: string | undefined; after?: string | undefined }

/**
 * The rows of a page, or the cursor that is unknown: an empty page would look like the end of the list. `isCut`: the
 * page ends early because of its size.
 */
export type Paged<Row> = { rows: Row[]; isCut?: boolean } | { unknownCursor: "before" | "after" }

/** True if a page is read backwards, from its cursor to the beginning of the list. */
export function isBackwards({ before, after }: Page): boolean {
  return before !== undefined && after === undefined
}

/** Rows with `above < id < below`: the first `limit` of them in the given direction. */
export type IdRange = { above: string; below: string; ascending: boolean; limit: number }

/** Upper limit of a page. */
const MAX_ROWS = 1_000

/**
 * Reads one page of a list ordered by id. `isKnown` returns whether a cursor exists, `fetch` reads a window. A page before a
 * cursor ends at the cursor, so it is read backwards and reversed.
 */
export async function readPage<Row>(
  order: "ascending" | "descending",
  page: Page,
  isKnown: (id: string) => Promise<boolean>,
  fetch: (window: IdRange) => Promise<Row[]>,
): Promise<Paged<Row>> {
  for (const side of ["before", "after"] as const) {
    const cursor = page[side]
    if (cursor !== undefined && !(isUuidInAnyCase(cursor) && (await isKnown(cursor))))
      return { unknownCursor: side }
  }
  const isAscending = order === "ascending"
  const backwards = isBackwards(page)
  const rows = await fetch({
    above: (isAscending ? page.after : page.before) ?? LOWEST_UUID,
    below: (isAscending ? page.before : page.after) ?? HIGHEST_UUID,
    ascending: isAscending !== backwards,
    limit: Math.min(page.limit, MAX_ROWS),
  })
  return { rows: backwards ? rows.toReversed() : rows }
}
