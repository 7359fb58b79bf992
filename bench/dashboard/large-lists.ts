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
  let organization: string | undefined
  await context.route("**/query/get_organization", async (route) => {
    if (route.request().method() !== "POST") return route.continue()
    organization ??= withUsers(await (await route.fetch()).json())
    return route.fulfill({ body: organization, contentType: "application/json", headers })
  })
}

function withUsers(reply: { organizationData: { users: object[] } }): string {
  const [first = {}] = reply.organizationData.users
  reply.organizationData.users = Array.from({ length: USERS }, (_, index) => ({
    ...first,
    userId: idOf(index),
    userName: `person ${index}`,
    userTags: [],
  }))
  return JSON.stringify(reply)
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
