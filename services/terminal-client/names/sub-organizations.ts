import { readUuid } from "../../../signer/core/uuid.ts"
import { type Querying, query } from "../api-client.ts"
import { usage } from "../exit.ts"

/** Largest page of a list. */
const PAGE = 100
/** Sub-organizations among which the beginning of an id is looked for: there may be a million. */
const MAX_SEARCHED = 1000
/** Digits that the beginning of an id has at least. */
const BEGINNING = /^[0-9a-f][0-9a-f-]{3,34}$/

/**
 * The id of a sub-organization: an id, the name of one alone, or the beginning of an id. The API finds no beginnings of
 * names, and a name goes before the beginning of an id.
 *
 * @throws {CliError} usage: none, or several
 */
export async function findSubOrganization(text: string, querying: Querying): Promise<string> {
  if (readUuid(text) !== undefined) return text.toLowerCase()
  const named = await listIds(querying, { filterType: "NAME", filterValue: text })
  const ids = named.length > 0 ? named : await idsFrom(text.toLowerCase(), querying)
  const [only] = ids
  if (only !== undefined && ids.length === 1) return only
  if (only === undefined)
    throw usage(
      `there is no sub-organization “${text}”: give its whole name, its id, or the beginning of its id`,
    )
  throw usage(`“${text}” fits several: ${ids.join(", ")}. Give the id of one sub-organization`)
}

/** Ids that begin with the text: all, or several. @throws {CliError} usage: too many to search */
async function idsFrom(beginning: string, querying: Querying): Promise<string[]> {
  if (!BEGINNING.test(beginning)) return []
  const found: string[] = []
  let after: string | undefined
  for (let searched = 0; searched < MAX_SEARCHED; searched += PAGE) {
    const paginationOptions = { limit: String(PAGE), ...(after !== undefined && { after }) }
    const ids = await listIds(querying, { paginationOptions })
    found.push(...ids.filter((id) => id.startsWith(beginning)))
    after = ids.at(-1)
    // Ids ascend.
    const isPast = after === undefined || ids.length < PAGE || after.slice(0, beginning.length) > beginning
    if (found.length > 1 || isPast) return found
  }
  throw usage(
    `only the oldest ${MAX_SEARCHED} sub-organizations are searched for “${beginning}”: give the whole name or the id`,
  )
}

async function listIds(querying: Querying, members: object): Promise<string[]> {
  return (
    (await query<{ organizationIds?: string[] }>(querying, "list_suborgs", members)).organizationIds ?? []
  )
}
