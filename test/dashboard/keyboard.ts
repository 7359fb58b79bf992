// The main task of each page with the keyboard alone: where the focus goes, where it returns, what is announced.
import type { Page } from "playwright-core"
import type { Test } from "tap"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { focused, stampByKeyboard, tabTo, tabToElement, turnTo } from "./steps.ts"

/** Runs on a system whose activity of this id waits for the user; a sub-organization has this name. */
type Given = { waitingId: string; policyName: string; subOrganizationName: string }

export async function keyboardRuns(t: Test, { page, url }: DashboardSystem, given: Given): Promise<void> {
  const { keyboard } = page
  const dialog = page.getByRole("dialog")
  const press = async (name: string) => {
    await tabTo(page, name)
    await keyboard.press("Enter")
  }
  /** Closes the receipt, after which the button that opened the change has the focus. */
  const closeTo = async (t: Test, opener: string) => {
    await keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    t.equal((await focused(page)).trim(), opener, "the focus returns")
  }

  await page.goto(url)
  await page.getByRole("heading", { level: 1, name: "Dev" }).waitFor()

  await t.test("keyboard: the first stop of Tab skips the menu", async (t) => {
    await keyboard.press("Tab")
    t.equal(await focused(page), "Skip to the page")
    await keyboard.press("Enter")
    t.equal(await page.evaluate(() => document.activeElement?.id), "main")
  })

  await t.test("keyboard: the palette turns to a page, whose heading takes the focus", async (t) => {
    await keyboard.press("Control+k")
    const field = page.getByRole("combobox", { name: /^Search/ })
    await field.waitFor()
    t.match(await focused(page), /^Search pages/)
    await keyboard.press("ArrowDown")
    await keyboard.press("ArrowDown")
    const chosen = page.getByRole("option", { selected: true })
    t.match(await chosen.innerText(), /^Activity/)
    t.equal(await field.getAttribute("aria-activedescendant"), await chosen.getAttribute("id"))
    await keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor()
    await page.waitForFunction(() => document.activeElement?.matches("h1") === true)
    await keyboard.press("Control+k")
    await field.waitFor()
    await keyboard.press("Escape")
    await field.waitFor({ state: "detached" })
    t.equal(await focused(page), "Activity", "the focus returns")
  })

  await t.test("keyboard: j and k go through the rows, ? lists the keys", async (t) => {
    const rows = page.locator("#main tbody tr td:first-child a")
    await rows.nth(2).waitFor()
    const links = await rows.allInnerTexts()
    t.ok(links.length > 2)
    const shown: string[] = []
    for (const key of ["j", "j", "k", "k", "k"]) {
      await keyboard.press(key)
      shown.push(await focused(page))
    }
    t.strictSame(shown, [links[0], links[1], links[0], links[0], links[0]])
    await keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    t.ok(await isInDialog(page))
    await closeTo(t, links[0] ?? "")
  })

  await t.test("keyboard: a request is read and approved", async (t) => {
    await turnTo(page, "Approvals")
    await tabToElement(page, page.locator(`a[href="/approvals/${given.waitingId}"]`))
    await keyboard.press("Enter")
    await page.getByRole("button", { name: "Approve", exact: true }).waitFor()
    await press("Approve")
    await dialog.waitFor()
    t.ok(await isInDialog(page))
    await stampByKeyboard(page, "Approve")
    t.match(await dialog.getByRole("status").innerText(), /Completed/)
    await keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    await page.getByText("It waits no longer.").waitFor()
    await page.waitForFunction(() => document.activeElement?.matches("h1") === true)
    t.equal(await focused(page), "Approval", "its button has gone: the heading takes the focus")
  })

  await t.test("keyboard: an account is derived", async (t) => {
    await turnTo(page, "First")
    await press("Derive account")
    await dialog.waitFor()
    t.equal(await focused(page), "Chain", "the first field has the focus")
    await keyboard.type("Bitcoin")
    await stampByKeyboard(page, "Derive account")
    await closeTo(t, "Derive account")
  })

  await t.test("keyboard: a user is created; the field at fault takes the focus", async (t) => {
    await turnTo(page, "People")
    await press("Create user")
    await tabTo(page, "Name")
    await keyboard.type("dora")
    await tabTo(page, "E-mail address (optional)")
    await keyboard.type("nobody")
    await keyboard.press("Enter")
    await dialog.getByRole("alert").waitFor()
    t.equal(await focused(page), "E-mail address (optional)")
    await keyboard.press("ControlOrMeta+a")
    await keyboard.type("dora@example.com")
    await stampByKeyboard(page, "Create user")
    await closeTo(t, "Create user")
    await page.getByRole("link", { name: "dora" }).waitFor()
  })

  await t.test("keyboard: a policy is changed, and tried before it is saved", async (t) => {
    await turnTo(page, given.policyName)
    await tabTo(page, "Condition: which requests")
    await keyboard.press("ControlOrMeta+End")
    await keyboard.type(" && 8 / 2 ==")
    t.ok(
      await page
        .getByRole("dialog")
        .count()
        .then((count) => count === 0),
      "the editor keeps its keys",
    )
    t.equal(await focused(page), "Condition: which requests")
    for (const _ of " && 8 / 2 ==") await keyboard.press("Backspace")
    await keyboard.type(" && 'a' == 'a'")
    // The first one closes completions: Tab would take one.
    await keyboard.press("Escape")
    await press("Try")
    await page.getByRole("table", { name: "Replay" }).waitFor()
    await press("Save policy")
    await stampByKeyboard(page, "Save policy")
    await keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    t.match(await page.locator(".cm-content").first().innerText(), /'a' == 'a'/)
  })

  await t.test("keyboard: a sub-organization is searched", async () => {
    await turnTo(page, "Sub-organizations")
    await tabToElement(page, page.getByLabel("Search by"))
    await keyboard.type("Name")
    await tabTo(page, "Value")
    await keyboard.type(given.subOrganizationName)
    await keyboard.press("Enter")
    await page.waitForURL(/by=NAME/)
    await tabTo(page, given.subOrganizationName)
    await keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: given.subOrganizationName }).waitFor()
  })

  await t.test("keyboard: a feature is set", async (t) => {
    await turnTo(page, "Settings")
    await press("Set feature")
    await tabTo(page, "Value")
    await keyboard.type("true")
    await stampByKeyboard(page, "Set feature")
    await closeTo(t, "Set feature")
    await page.getByRole("table", { name: "Features" }).getByText("STRICT_DENY").first().waitFor()
  })

  await t.test("keyboard: an operation is searched and sent from the console", async (t) => {
    await turnTo(page, "Console")
    await page.getByLabel("Search operations").waitFor()
    await tabTo(page, "Search operations")
    await keyboard.type("list policies")
    await keyboard.press("Tab")
    await keyboard.press("End")
    await page.waitForURL(/operation=query%2Flist_policies/)
    await press("Send")
    await page.getByLabel("Reply").waitFor()
    t.ok((await page.getByLabel("Reply").innerText()).includes(given.policyName))
  })

  await t.test("C-1897: keyboard: on a phone the menu takes the focus and gives it back", async (t) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await press("Menu")
    await page.getByRole("button", { name: "Close the menu" }).waitFor()
    t.equal(await focused(page), "Close the menu")
    const overflow = () => page.evaluate(() => getComputedStyle(document.documentElement).overflowY)
    t.equal(await overflow(), "hidden", "C-1897: a wheel or a finger does not move the page behind it")
    await keyboard.press("Escape")
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Menu")
    t.equal(await overflow(), "visible", "without the menu it moves")
    await page.setViewportSize({ width: 1440, height: 900 })
  })
}

const isInDialog = (page: Page) => page.evaluate(() => document.activeElement?.closest("dialog") !== null)
