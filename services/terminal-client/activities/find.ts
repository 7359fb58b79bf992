import { readUuid } from "../../../signer/core/uuid.ts"
import { type Querying, query } from "../api-client.ts"
import type { ActivityDetails } from "../changes/waiting.ts"
import { usage } from "../exit.ts"

/** Statuses of activities that wait for votes. */
export const WAITING = ["ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"]

export type Filter = {
  statuses?: readonly string[]
  types?: readonly string[]
  limit?: number
  after?: string
}

/** Largest page of a list. */
const PAGE = 100
/** Recent activities among which a prefix is looked for. */
const MAX_SEARCHED = 1000

/** Activities that fit, newest first, as many as the limit allows; with `after`, those that follow this id. */
export async function listActivities(
  { statuses, types, limit = MAX_SEARCHED, after: first }: Filter,
  querying: Querying,
): Promise<ActivityDetails[]> {
  const found: ActivityDetails[] = []
  while (found.length < limit) {
    const after = found.at(-1)?.id ?? first
    const size = Math.min(PAGE, limit - found.length)
    const { activities } = await query<{ activities: ActivityDetails[] }>(querying, "list_activities", {
      ...(statuses && { filterByStatus: statuses }),
      ...(types && { filterByType: types }),
      paginationOptions: { limit: String(size), ...(after !== undefined && { after }) },
    })
    found.push(...activities)
    if (activities.length < size) break
  }
  return found
}

/**
 * The activity that a text names: its id, its fingerprint, or the beginning of either. The API states the ids. So only a text
 * that can begin an id is compared with them. A whole fingerprint names the one activity that it is the digest of.
 *
 * @throws {CliError} usage: none of the searched activities fits, or several do
 */
export async function findActivity(
  text: string,
  filter: Filter,
  querying: Querying,
): Promise<ActivityDetails> {
  const activityId = readUuid(text)
  if (activityId !== undefined)
    return (await query<{ activity: ActivityDetails }>(querying, "get_activity", { activityId })).activity
  const given = text.toLowerCase()
  const wanted = given.replace(/^sha256:/, "")
  const searched = await listActivities(filter, querying)
  const fitting = searched.filter(({ id, fingerprint }) => {
    const names = wanted === given && readUuid(id) !== undefined ? [id, fingerprint] : [fingerprint]
    return names.some((name) => name.replace("sha256:", "").startsWith(wanted))
  })
  const [only] = fitting
  if (only !== undefined && fitting.length === 1 && wanted !== "") return only
  const which = filter.statuses === undefined ? "recent activity" : "waiting activity"
  if (searched.length === 0)
    throw usage(
      `there is no ${which} “${text}”: ${filter.statuses === undefined ? "there is none" : "nothing waits"}`,
    )
  if (only === undefined)
    throw usage(
      `there is no ${which} “${text}” among ${searched.length}: npx countersign activity list shows them`,
    )
  const shown = fitting.map(({ fingerprint, type }) => `${fingerprint.slice(0, 23)}… ${type}`)
  throw usage(`“${text}” fits several: ${shown.slice(0, 8).join(", ")}. Give more of the fingerprint`)
}
