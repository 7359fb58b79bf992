// Replies of a large organization, made in the API's place. The bench measures pages with them, and a test counts their queries.
import { createHash } from "node:crypto"
import type { BrowserContext } from "playwright-core"

export const ACTIVITIES = 100_000
export const USERS = 10_000

export const idOf = (index: number) => `01a20000-0000-7000-8000-${String(index).padStart(12, "0")}`

/** Answers the queries of lists from now on. */
export async function answerLargeLists(context: BrowserContext): Promise<void> {
  await answerQuery(context, "list_activities", pageOfActivities)
  await answerQuery(context, "list_users", pageOfUsers)
}

/** Answers a query of pages in the API's place. `reply` is given the body of the request. */
export async function answerQuery(
  pages: Pick<BrowserContext, "route">,
  path: string,
  reply: (body: never) => object,
): Promise<void> {
  const headers = { "access-control-allow-origin": "*" }
  await pages.route(`**/query/${path}`, (route) => {
    if (route.request().method() !== "POST") return route.continue()
    return route.fulfill({ json: reply(route.request().postDataJSON() as never), headers })
  })
}

export type ActivitiesRequest = { paginationOptions: { limit: string; after?: string } }

export function pageOfActivities({ paginationOptions: { limit, after } }: ActivitiesRequest): object {
  const from = indexAfter(after)
  const length = Math.max(0, Math.min(Number(limit), ACTIVITIES - from))
  return { activities: Array.from({ length }, (_, index) => activity(from + index)) }
}

/** The index behind the item with this id; 0 without one. */
export function indexAfter(after: string | undefined): number {
  return after === undefined ? 0 : Number(after.slice(-12)) + 1
}

export type UsersRequest = {
  paginationOptions?: { limit?: string; after?: string }
  search?: string
  userIds?: string[]
}

export function pageOfUsers({ paginationOptions = {}, search = "", userIds }: UsersRequest): object {
  const { limit = String(USERS), after } = paginationOptions
  const from = indexAfter(after)
  const fitting = Array.from({ length: USERS - from }, (_, index) => from + index)
    .filter((index) => `person ${index}`.includes(search))
    .filter((index) => userIds === undefined || userIds.includes(idOf(index)))
  const users = fitting.slice(0, Number(limit)).map((index) => ({
    userId: idOf(index),
    userName: `person ${index}`,
    apiKeys: [],
    authenticators: [],
    oauthProviders: [],
    mfaPolicies: [],
    userTags: [],
    createdAt: { seconds: "1790000000", nanos: "0" },
  }))
  return { users, pageInfo: { hasNextPage: fitting.length > users.length } }
}

function activity(index: number): object {
  const time = { seconds: String(1_790_000_000 - index), nanos: "0" }
  const [type, organizationId] = ["ACTIVITY_TYPE_CREATE_WALLET", idOf(0)]
  const parameters = { walletName: `wallet ${index}`, accounts: [] }
  // Lists are described from the stamped body.
  const message = JSON.stringify({ type, timestampMs: "1790000000000", organizationId, parameters })
  const vote = { id: idOf(index), userId: idOf(0), message, createdAt: time }
  return {
    id: idOf(index),
    organizationId,
    status: "ACTIVITY_STATUS_COMPLETED",
    type,
    intent: { createWalletIntent: parameters },
    result: {},
    votes: [vote],
    fingerprint: `sha256:${createHash("sha256").update(message).digest("hex")}`,
    canApprove: false,
    canReject: false,
    createdAt: time,
    updatedAt: time,
  }
}
