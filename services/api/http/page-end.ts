import type { ServerResponse } from "node:http"

/** Reply header of a page that ended early because of its size: the cursor of the next page. */
const PAGE_ENDS_AT = "X-Countersign-Page-Ends-At"

/** Sets a header on a page with fewer objects than the limit: the next page is `after` or `before` this id. */
export function endPageAt(res: Pick<ServerResponse, "setHeader">): (id: string) => void {
  return (id) => void res.setHeader(PAGE_ENDS_AT, id)
}
