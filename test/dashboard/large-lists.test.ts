import t from "tap"
import type { Page } from "playwright-core"
import {
  answerQuery,
  idOf,
  indexAfter,
  pageOfActivities,
  pageOfUsers,
} from "../../bench/dashboard/large-lists.ts"
import { findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { openDashboard } from "../harness/dashboard.ts"
import { opener } from "./steps.ts"

const skip = findChromium() ? false : NO_CHROMIUM

const SUB_ORGANIZATIONS = 100_000
const ROWS = 25

t.test("large lists: each page is one query, and its rows alone are rendered", { skip }, async (t) => {
  const { page, url } = await openDashboard(t)
  const open = opener(page, url)

  await t.test("100,000 activities", async (t) => {
    const asked = await answer(page, "list_activities", pageOfActivities)
    await open("/activity")
    const rows = page.getByRole("table", { name: "Activities" }).locator("tbody tr")
    await page.getByRole("link", { name: 'Create wallet "wallet 0"' }).waitFor()
    await page.waitForLoadState("networkidle")
    const before = asked.length
    for (let turn = 1; turn <= 5; turn++) {
      await page.getByRole("button", { name: "Older" }).click()
      await page.getByRole("link", { name: `Create wallet "wallet ${turn * ROWS}"` }).waitFor()
      t.equal(await rows.count(), ROWS)
    }
    t.equal(asked.length - before, 5, "one query a page")
    t.ok(asked.every(({ paginationOptions: { limit } }) => Number(limit) <= 100))
    await page.getByRole("button", { name: "Newer" }).click()
    await page.getByRole("link", { name: `Create wallet "wallet ${4 * ROWS}"` }).waitFor()
    await page.unroute("**/query/list_activities")
  })

  await t.test("100,000 sub-organizations", async (t) => {
    const asked = await answer(page, "list_suborgs", ({ paginationOptions }: Pages) => {
      const { limit, after } = paginationOptions
      const from = indexAfter(after)
      const to = Math.min(from + Number(limit), SUB_ORGANIZATIONS)
      return { organizationIds: Array.from({ length: to - from }, (_, index) => idOf(from + index)) }
    })
    const named = await answer(
      page,
      "get_suborg_summaries",
      ({ organizationIds }: { organizationIds: string[] }) => ({
        suborgSummaries: organizationIds.map((organizationId) => ({
          organizationId,
          organizationName: `Customer ${organizationId}`,
          userCount: 1,
        })),
      }),
    )
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
    const asked = await answer(page, "list_users", pageOfUsers)
    const organizations: { omitUsers?: boolean }[] = []
    await page.route("**/query/get_organization", async (route) => {
      if (route.request().method() === "POST")
        organizations.push(route.request().postDataJSON() as { omitUsers?: boolean })
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
    t.equal(asked.at(-1)?.search, "person 9999", "the API searches")
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
    await dialog.getByText("The request as JSON").click()
    const body = JSON.parse(await dialog.getByLabel("The request", { exact: true }).innerText()) as {
      parameters: { userIds: string[] }
    }
    t.strictSame(body.parameters.userIds, [idOf(3), idOf(8888)])
  })
})

type Pages = { paginationOptions: { limit: string; after?: string } }

/** A request of a page. The count of the menu, names of users and named accounts ask too, by other filters. */
type Asked<Request> = Request & { filterByStatus?: unknown; userIds?: unknown }

/** Answers a query of the page in the API's place. Returns the bodies of the requests for pages. */
async function answer<Request extends object>(
  page: Page,
  path: string,
  reply: (body: Request) => object,
): Promise<Asked<Request>[]> {
  const asked: Asked<Request>[] = []
  await answerQuery(page, path, (body: Asked<Request>) => {
    if (body.filterByStatus === undefined && body.userIds === undefined) asked.push(body)
    return reply(body)
  })
  return asked
}
