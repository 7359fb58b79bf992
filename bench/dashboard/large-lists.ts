// Replies of a large organization, made in the API's place: what is measured is the page.
import type { BrowserContext } from "playwright-core"

export const ACTIVITIES = 100_000
export const USERS = 10_000

const idOf = (index: number) => `01a20000-0000-7000-8000-${String(index).padStart(12, "0")}`

/** Answers the queries of lists from now on. */
export async function answerLargeLists(context: BrowserContext): Promise<void> {
  const headers = { "access-control-allow-origin": "*" }
  await context.route("**/query/list_activities", (route) => {
    if (route.request().method() !== "POST") return route.continue()
    const { paginationOptions } = route.request().postDataJSON() as {
      paginationOptions: { limit: string; after?: string }
    }
    const { limit, after } = paginationOptions
    const from = after === undefined ? 0 : Number(after.slice(-12)) + 1
    const length = Math.max(0, Math.min(Number(limit), ACTIVITIES - from))
    const activities = Array.from({ length }, (_, index) => activity(from + index))
    return route.fulfill({ json: { activities }, headers })
  })
  await context.route("**/query/list_users", (route) => {
    if (route.request().method() !== "POST") return route.continue()
    return route.fulfill({ json: pageOfUsers(route.request().postDataJSON() as UsersRequest), headers })
  })
}

type UsersRequest = {
  paginationOptions?: { limit?: string; after?: string }
  search?: string
  userIds?: string[]
}

function pageOfUsers({ paginationOptions = {}, search = "", userIds }: UsersRequest): object {
  const { limit = String(USERS), after } = paginationOptions
  const from = after === undefined ? 0 : Number(after.slice(-12)) + 1
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
  return {
    id: idOf(index),
    organizationId: idOf(0),
    status: "ACTIVITY_STATUS_COMPLETED",
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    intent: { createWalletIntent: { walletName: `wallet ${index}`, accounts: [] } },
    result: {},
    votes: [],
    fingerprint: "sha256:00",
    canApprove: false,
    canReject: false,
    createdAt: time,
    updatedAt: time,
  }
}
