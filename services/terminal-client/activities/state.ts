import { type SendStatus, SIGNED, sendIdOf, sendStateOf } from "../../dashboard/words/send-state.ts"
import { type Querying, query } from "../api-client.ts"
import type { ActivityDetails } from "../changes/waiting.ts"
import { WAITING } from "./find.ts"

/** Statuses by the words that choose them. */
export const STATUSES: { readonly [word: string]: readonly string[] } = {
  waiting: WAITING,
  completed: ["ACTIVITY_STATUS_COMPLETED"],
  failed: ["ACTIVITY_STATUS_FAILED"],
  rejected: ["ACTIVITY_STATUS_REJECTED"],
}

/** Limit on sends of one list whose transactions are asked for; further ones are "signed". */
const MAX_ASKED = 100

/** The state of each activity by id: its status, or for a signed send the state of its transaction. */
export async function statesOf(
  activities: readonly ActivityDetails[],
  querying: Querying,
): Promise<ReadonlyMap<string, string>> {
  const sends = activities.filter((activity) => sendIdOf(activity) !== undefined).slice(0, MAX_ASKED)
  const asked = new Map(
    await Promise.all(
      sends.map(async (activity) => [activity.id, await askState(activity, querying)] as const),
    ),
  )
  return new Map(
    activities.map((activity) => {
      const unknown = sendIdOf(activity) === undefined ? wordOf(activity.status) : inLine(SIGNED[0])
      return [activity.id, asked.get(activity.id) ?? unknown]
    }),
  )
}

/** Undefined: the API does not say. */
async function askState(activity: ActivityDetails, querying: Querying): Promise<string | undefined> {
  const request = { sendTransactionStatusId: sendIdOf(activity) }
  const status = await query<SendStatus>(querying, "get_send_transaction_status", request).catch(
    () => undefined,
  )
  return status && inLine(sendStateOf(status, activity.id)[0])
}

function wordOf(status: string): string {
  const word = Object.keys(STATUSES).find((one) => STATUSES[one]?.includes(status))
  return word ?? status.replace("ACTIVITY_STATUS_", "").toLowerCase()
}

/** Words that begin a sentence elsewhere, within a line. */
export function inLine(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1)
}
