import { type Querying, query } from "./api-client.ts"
import { memberAt } from "./json.ts"

/** Objects of one page: the most that the API gives. */
const PAGE = 100

/** Queries that answer a page of ten where none is asked for: the member of an item that is the cursor, or that items are ids. */
export const PAGED: { readonly [path: string]: string | undefined } = {
  list_suborgs: "",
  list_velocity_controls: "velocityControlId",
  list_wallet_accounts: "walletAccountId",
}

/** The whole list of a query, page after page where it has pages. @param member path of the list in the reply */
export async function listAll(
  querying: Querying,
  path: string,
  member: string,
  members: object = {},
): Promise<unknown[]> {
  const cursor = PAGED[path]
  if (cursor === undefined) return listOf(await query(querying, path, members), member)
  const items: unknown[] = []
  for (;;) {
    const last = items.at(-1)
    const after = cursor === "" ? last : memberAt(last, cursor)
    const paginationOptions = { limit: String(PAGE), ...(last !== undefined && { after }) }
    const page = listOf(await query(querying, path, { ...members, paginationOptions }), member)
    items.push(...page)
    if (page.length < PAGE) return items
  }
}

function listOf(reply: unknown, member: string): unknown[] {
  const list = memberAt(reply, member)
  return Array.isArray(list) ? list : []
}
