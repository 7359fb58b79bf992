// The pages of the dashboard as their users meet them: filled, empty, at fault, and with each kind of dialog.
import type { Page } from "playwright-core"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { type Filled, fillOrganization } from "./organization.ts"
import type { Shown } from "./look.ts"

/** Fills the organization of a system. Returns its pages by name. */
export async function dashboardPages(system: DashboardSystem): Promise<Shown[]> {
  const { page, url } = system
  const filled = await fillOrganization(system)
  const at = (path: string) => async () => {
    await page.goto(url + path)
    await page.getByRole("navigation", { name: "Pages" }).waitFor()
    await page.waitForLoadState("networkidle")
    return page
  }
  const plain = Object.entries(pathsOf(filled)).map(([name, path]): Shown => ({ name, open: at(path) }))
  const dialogs = Object.entries(DIALOGS).map(
    ([name, [path, act]]): Shown => ({
      name: `dialog-${name}`,
      open: async () => {
        const opened = await at(path)()
        await act(opened)
        return opened
      },
    }),
  )
  return [
    ...plain,
    ...dialogs,
    menu(at),
    linted(at),
    recipe(at),
    loginPage(system),
    usedLink(system),
    ...(await detailPages(at)),
  ]
}

type At = (path: string) => () => Promise<Page>

const pathsOf = ({ waitingId, digestId, endpointId, subOrganizationId }: Filled) => ({
  home: "/",
  approvals: "/approvals",
  approval: `/approvals/${waitingId}`,
  "approval-of-digest": `/approvals/${digestId}`,
  activity: "/activity",
  "activity-none": "/activity?status=ACTIVITY_STATUS_REJECTED",
  "activity-detail": `/activity/${waitingId}`,
  "activity-unknown": "/activity/00000000-0000-4000-8000-000000000000",
  wallets: "/wallets",
  people: "/people",
  policies: "/policies",
  "policy-new": "/policies/new",
  organizations: "/organizations",
  organization: `/organizations/${subOrganizationId}`,
  login: "/login",
  "login-codes": "/login/codes",
  "login-messages": "/login/messages",
  "login-ways": "/login/ways",
  "login-clients": "/login/clients",
  webhooks: "/webhooks",
  "webhook-endpoint": `/webhooks/${endpointId}`,
  settings: "/settings",
  console: "/console",
  system: "/system",
  "no-page": "/nothing",
})

const press = (name: string) => async (page: Page) => {
  await page.locator("#main").getByRole("button", { name }).first().click()
  await page.getByRole("dialog").waitFor()
}

const DIALOGS: { readonly [name: string]: readonly [path: string, act: (page: Page) => Promise<void>] } = {
  "create-user": ["/people", press("Create user")],
  "fault-beside-field": [
    "/people",
    async (page) => {
      await press("Create user")(page)
      await page.getByLabel("Name", { exact: true }).fill("carol")
      await page.getByLabel("E-mail address (optional)").fill("nobody")
      await page.getByRole("button", { name: "Review" }).click()
      await page.getByRole("dialog").getByRole("alert").waitFor()
    },
  ],
  review: [
    "/wallets",
    async (page) => {
      await press("Create wallet")(page)
      await page.getByLabel("Name", { exact: true }).fill("Savings")
      await page.getByRole("button", { name: "Review" }).click()
      await page.getByText("What will be stamped").waitFor()
    },
  ],
  receipt: [
    "/people",
    async (page) => {
      await press("Create tag")(page)
      await page.getByLabel("Name", { exact: true }).fill("operators")
      await page.getByRole("button", { name: "Review" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Create tag" }).click()
      await page.getByText("Proof checked against this browser’s pins").waitFor()
    },
  ],
  grave: [
    "/people",
    async (page) => {
      await press("Change the quorum")(page)
      await page.getByRole("button", { name: "Review" }).click()
      await page.getByLabel(/^Type Dev/).waitFor()
    },
  ],
  vote: [
    "/approvals",
    async (page) => {
      await page.locator("#main tbody a").first().click()
      await page.getByRole("button", { name: "Approve", exact: true }).click()
      await page.getByText("What will be stamped").waitFor()
    },
  ],
  wording: ["/login/messages", press("Change the wording")],
  palette: [
    "/",
    async (page) => {
      await page.keyboard.press("Control+k")
      await page.getByRole("option", { name: "Home" }).waitFor()
    },
  ],
  keys: [
    "/",
    async (page) => {
      await page.keyboard.press("?")
      await page.getByRole("dialog", { name: "Keys" }).waitFor()
    },
  ],
}

/** The menu of a phone: a wider window closes it. */
const menu = (at: At): Shown => ({
  name: "menu",
  widths: [390],
  open: async () => {
    const page = await at("/")()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole("button", { name: "Menu", exact: true }).click()
    return page
  },
})

/** A policy that can never apply: trying it shows why. */
const linted = (at: At): Shown => ({
  name: "policy-linted",
  open: async () => {
    const page = await at("/policies/new")()
    await page.getByLabel("Name", { exact: true }).fill("small payments")
    const condition = page.getByLabel("Condition: which requests")
    await condition.click()
    await page.keyboard.type("activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' && eth.tx.to == '0xAB'")
    await page.getByLabel("Consensus: who has to approve").click()
    await page.keyboard.type("approvers.count() >= 0")
    await page.getByRole("button", { name: "Try", exact: true }).click()
    await page.locator("#main").getByRole("note").first().waitFor()
    return page
  },
})

/** The login page of a browser in which somebody logged in before; the login itself is kept. */
const loginPage = ({ page, url, browser }: DashboardSystem): Shown => ({
  name: "door",
  open: async () => {
    const context = await browser.newContext()
    const other = await context.newPage()
    await other.goto(url)
    const known = await page.evaluate(() => localStorage.getItem("countersign.organizations") ?? "[]")
    await other.evaluate((text) => localStorage.setItem("countersign.organizations", text), known)
    await other.reload()
    await other.getByRole("heading", { name: "Log in" }).waitFor()
    return other
  },
})

/** A recipe of the policy editor, with its slots. */
const recipe = (at: At): Shown => ({
  name: "policy-recipe",
  open: async () => {
    const page = await at("/policies/new")()
    await page.getByRole("button", { name: "One function of one contract" }).click()
    await page.getByRole("button", { name: "Fill in the policy" }).click()
    return page
  },
})

/** A link of the command line that was used before. */
const usedLink = ({ page, link }: DashboardSystem): Shown => ({
  name: "link-used",
  open: async () => {
    await page.goto("about:blank")
    await page.goto(link)
    await page.getByRole("alert").waitFor()
    return page
  },
})

/** Pages whose addresses the lists name. */
async function detailPages(at: At): Promise<Shown[]> {
  const addressOf = async (path: string, name: string) => {
    const page = await at(path)()
    const link = page.locator("#main").getByRole("link", { name, exact: true }).first()
    return (await link.getAttribute("href")) ?? ""
  }
  const [wallet, person, policy] = [
    await addressOf("/wallets", "First"),
    await addressOf("/people", "root"),
    await addressOf("/policies", "two-of-treasury"),
  ]
  return [
    { name: "wallet", open: at(wallet) },
    { name: "person", open: at(person) },
    {
      name: "policy-tried",
      open: async () => {
        const page = await at(policy)()
        await page.getByRole("button", { name: "Try" }).click()
        await page.getByRole("table", { name: "Replay" }).waitFor()
        return page
      },
    },
    {
      name: "address",
      open: async () => {
        const page = await at(wallet)()
        await page.getByRole("button", { name: "Ethereum" }).click()
        await page.getByRole("img", { name: /QR code/ }).waitFor()
        return page
      },
    },
  ]
}
