import { activityTypes } from "../../proto/catalog.ts"
import { listActivities, WAITING } from "../terminal-client/activities/find.ts"
import type { ActivityJson, Querying } from "../terminal-client/api-client.ts"
import { canonicalJson } from "../terminal-client/json.ts"

export type WaitingActivity = ActivityJson & { type: string; intent: { readonly [name: string]: unknown } }

/** Activities of these types that wait for votes, submitted by any user. */
export async function listWaiting(querying: Querying, types: readonly string[]): Promise<WaitingActivity[]> {
  if (types.length === 0) return []
  const filter = { statuses: WAITING, types: [...new Set(types)], limit: Infinity }
  return (await listActivities(filter, querying)) as unknown as WaitingActivity[]
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
