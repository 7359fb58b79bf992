import { activityTypes } from "../../../proto/catalog.ts"
import { WAITING } from "../activities/find.ts"
import { type Activity, type ApiClient, post } from "../api-client.ts"
import { canonicalJson } from "../canonical-json.ts"

export type WaitingActivity = Activity & { type: string; intent: { readonly [name: string]: unknown } }

/** Activities of these types that wait for votes, submitted by any user. */
export async function listWaiting(
  client: ApiClient,
  organizationId: string,
  types: readonly string[],
): Promise<WaitingActivity[]> {
  const found: WaitingActivity[] = []
  if (types.length === 0) return found
  for (;;) {
    const after = found.at(-1)?.id
    const paginationOptions = { limit: "100", ...(after !== undefined && { after }) }
    const filters = { filterByStatus: WAITING, filterByType: [...new Set(types)] }
    const body = JSON.stringify({ organizationId, ...filters, paginationOptions })
    const { activities } = (await post(client, "/public/v1/query/list_activities", body)) as {
      activities: WaitingActivity[]
    }
    if (activities.length === 0) return found
    found.push(...activities)
  }
}

/** The waiting activity with this type and these parameters, apart from members whose sealing differs each time. */
export function findWaiting(
  waiting: readonly WaitingActivity[],
  type: string,
  parameters: object,
  sealed: readonly string[],
): WaitingActivity | undefined {
  const name = activityTypes.get(type)?.intentName ?? ""
  const textOf = (members: unknown) => canonicalJson(without(members, sealed))
  const wanted = textOf(parameters)
  return waiting.find((activity) => activity.type === type && textOf(activity.intent[name]) === wanted)
}

function without(members: unknown, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(members ?? {}).filter(([member]) => !names.includes(member)))
}
