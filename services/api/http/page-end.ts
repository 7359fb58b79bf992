import type { ServerResponse } from "node:http"

/** Reply header of a page that ended early because of its size: the cursor with which the list goes on. */
const PAGE_ENDS_AT = "X-Countersign-Page-Ends-At"

/** Tells the caller that a page has fewer objects than the list would give: `after` or `before` this id go on. */
export function endPageAt(res: Pick<ServerResponse, "setHeader">): (id: string) => void {
  return (id) => void res.setHeader(PAGE_ENDS_AT, id)
}
