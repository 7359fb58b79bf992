import t from "tap"
import type { Page, Route } from "playwright-core"
import { findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { openDashboard } from "../harness/dashboard.ts"
import { opener } from "./steps.ts"

const skip = findChromium() ? false : NO_CHROMIUM

const ACTIVITIES = 100_000
const USERS = 10_000
const SUB_ORGANIZATIONS = 100_000
const ROWS = 25

t.test("large lists: each page is one query, and its rows alone are rendered", { skip }, async (t) => {
  const { page, url } = await openDashboard(t)
  const open = opener(page, url)

  await t.test("100,000 activities", async (t) => {
    const asked = await answer(page, "list_activities", ({ paginationOptions }) => {
      const { limit, after } = paginationOptions as { limit: string; after?: string }
      const from = after === undefined ? 0 : Number(after) + 1
      const to = Math.min(from + Number(limit), ACTIVITIES)
      return { activities: Array.from({ length: to - from }, (_, index) => activity(from + index)) }
    })
    await open("/activity")
    const rows = page.getByRole("table", { name: "Activities" }).locator("tbody tr")
    await page.getByRole("link", { name: "Create wallet “wallet 0”" }).waitFor()
    await page.waitForLoadState("networkidle")
    const before = asked.length
    for (let turn = 1; turn <= 5; turn++) {
      await page.getByRole("button", { name: "Older" }).click()
      await page.getByRole("link", { name: `Create wallet “wallet ${turn * ROWS}”` }).waitFor()
      t.equal(await rows.count(), ROWS)
    }
    t.equal(asked.length - before, 5, "one query a page")
    t.ok(
      asked.every(({ paginationOptions }) => Number((paginationOptions as { limit: string }).limit) <= 100),
    )
    await page.getByRole("button", { name: "Newer" }).click()
    await page.getByRole("link", { name: `Create wallet “wallet ${4 * ROWS}”` }).waitFor()
    await page.unroute("**/query/list_activities")
  })

  await t.test("100,000 sub-organizations", async (t) => {
    const asked = await answer(page, "list_suborgs", ({ paginationOptions }) => {
      const { limit, after } = paginationOptions as { limit: string; after?: string }
      const from = after === undefined ? 0 : Number.parseInt(after.slice(-12), 10) + 1
      const to = Math.min(from + Number(limit), SUB_ORGANIZATIONS)
      return { organizationIds: Array.from({ length: to - from }, (_, index) => idOf(from + index)) }
    })
    const named = await answer(page, "get_suborg_summaries", ({ organizationIds }) => ({
      suborgSummaries: (organizationIds as string[]).map((organizationId) => ({
        organizationId,
        organizationName: `Customer ${organizationId}`,
        userCount: 1,
      })),
    }))
    await open("/organizations")
    const rows = page.getByRole("table", { name: "Sub-organizations" }).locator("tbody tr")
    for (let turn = 1; turn <= 3; turn++) {
      await page.getByRole("link", { name: `Customer ${idOf((turn - 1) * 10)}` }).waitFor()
      t.equal(await rows.count(), 10)
      await page.getByRole("button", { name: "Next" }).click()
    }
    await page.getByRole("link", { name: idOf(30) }).waitFor()
    t.equal(asked.length, 4, "one query a page")
    t.equal(named.length, 4, "and one for the names of a page")
    await page.unroute("**/query/list_suborgs")
    await page.unroute("**/query/get_suborg_summaries")
  })

  await t.test("10,000 users", async (t) => {
    const { users, asked } = await answerUsers(page)
    const organizations: Body[] = []
    await page.route("**/query/get_organization", async (route) => {
      if (route.request().method() === "POST") organizations.push(route.request().postDataJSON() as Body)
      await route.fallback()
    })
    await open("/people")
    const rows = page.getByRole("table", { name: "Users" }).locator("tbody tr")
    await page.getByRole("link", { name: "person 0", exact: true }).waitFor()
    await page.waitForLoadState("networkidle")
    const before = asked.length
    const next = page
      .getByRole("navigation", { name: "Parts of the list" })
      .getByRole("button", { name: "Next" })
    for (let turn = 1; turn <= 3; turn++) {
      await next.click()
      await page.getByRole("link", { name: `person ${turn * ROWS}`, exact: true }).waitFor()
      t.equal(await rows.count(), ROWS)
    }
    t.equal(asked.length - before, 3, "one query a page")
    await page.getByLabel("Search by name, address or id").fill("person 9999")
    await page.getByRole("link", { name: "person 9999" }).waitFor()
    t.equal(await rows.count(), 1)
    t.equal(asked.at(-1)?.["search"], "person 9999", "the API searches")
    t.ok(organizations.length > 0)
    t.ok(
      organizations.every(({ omitUsers }) => omitUsers === true),
      "no query asks for all users",
    )

    await page.getByRole("button", { name: "Create tag" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name", { exact: true }).fill("night shift")
    await dialog.getByLabel("person 3", { exact: true }).check()
    await dialog.getByLabel("Search: Users").fill("person 8888")
    await dialog.getByLabel("person 8888").check()
    t.ok(await dialog.getByLabel("person 3", { exact: true }).isChecked(), "a chosen user stays")
    await dialog.getByRole("button", { name: "Review" }).click()
    const body = JSON.parse(await dialog.getByLabel("The request").innerText()) as {
      parameters: { userIds: string[] }
    }
    t.strictSame(body.parameters.userIds, [users[3]?.userId, users[8888]?.userId])
  })
})

type Body = { [member: string]: unknown }

/** Answers a query of the page in the API's place. Returns the bodies of the requests. */
async function answer(page: Page, path: string, reply: (body: Body) => object): Promise<Body[]> {
  const asked: Body[] = []
  await page.route(`**/query/${path}`, async (route: Route) => {
    if (route.request().method() !== "POST") return route.continue()
    const body = route.request().postDataJSON() as Body
    // The count of the menu and named accounts ask too, by other filters.
    if (body["filterByStatus"] === undefined) asked.push(body)
    return route.fulfill({ json: reply(body), headers: { "access-control-allow-origin": "*" } })
  })
  return asked
}

/** Answers list_users in the API's place for an organization of many users. Returns the bodies of the requests for pages. */
async function answerUsers(page: Page) {
  const users = Array.from({ length: USERS }, (_, index) => ({
    ...NOBODY,
    userId: idOf(index),
    userName: `person ${index}`,
  }))
  const asked = await answer(page, "list_users", ({ paginationOptions, search = "", userIds, userTagId }) => {
    const { limit = USERS, after } = (paginationOptions ?? {}) as { limit?: string; after?: string }
    const from = after === undefined ? 0 : users.findIndex(({ userId }) => userId === after) + 1
    const fitting = users
      .slice(from)
      .filter(({ userName }) => userName.includes(String(search)))
      .filter(({ userId }) => !Array.isArray(userIds) || userIds.includes(userId))
      .filter(() => userTagId === undefined)
    return {
      users: fitting.slice(0, Number(limit)),
      pageInfo: { hasNextPage: fitting.length > Number(limit) },
    }
  })
  return { users, asked }
}

const NOBODY = {
  apiKeys: [],
  authenticators: [],
  oauthProviders: [],
  mfaPolicies: [],
  userTags: [],
  createdAt: { seconds: "1790000000", nanos: "0" },
}

const idOf = (index: number) => `01a20000-0000-7000-8000-${String(index).padStart(12, "0")}`

function activity(index: number): object {
  const time = { seconds: String(1_790_000_000 - index), nanos: "0" }
  return {
    id: String(index),
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
