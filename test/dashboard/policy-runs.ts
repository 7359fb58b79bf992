// A policy made from a recipe of the cookbook, with the keyboard alone.
import type { Test } from "tap"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { finisher, opener, tabTo } from "./steps.ts"

export async function recipeRuns(t: Test, { page, url }: DashboardSystem): Promise<void> {
  const open = opener(page, url)
  const finish = finisher(page)
  const { keyboard } = page
  const condition = page.getByRole("textbox", { name: "Condition: which requests" })
  const pick = async (label: string, letters: string) => {
    await tabTo(page, label)
    await keyboard.type(letters)
    await page.getByRole("option", { name: letters, exact: false }).first().waitFor()
    await keyboard.press("Enter")
  }

  await t.test(
    "C-1829, W159: a picker sends what it shows: letters that chose nothing go with the focus",
    async (t) => {
      await open("/policies/new")
      await page.getByRole("button", { name: "Alone up to an amount" }).focus()
      await keyboard.press("Enter")
      await tabTo(page, "User")
      await keyboard.type("nobody of this name")
      await tabTo(page, "Wallet")
      t.equal(await page.getByRole("combobox", { name: "User" }).inputValue(), "")
      await tabTo(page, "Fill in the policy")
      await keyboard.press("Enter")
      await page.getByRole("alert").getByText("Choose one.").first().waitFor()
      t.equal(await page.getByRole("alert").count(), 4, "each empty slot has its sentence")
      t.equal((await condition.innerText()).includes("SIGN_TRANSACTION'"), false)
    },
  )

  await t.test("C-1829: the focus moves as a choice is made, not after the person went on", async (t) => {
    await page.getByRole("button", { name: "Alone up to an amount" }).focus()
    await tabTo(page, "Wallet")
    await keyboard.type("First")
    await page.getByRole("option", { name: "First" }).first().waitFor()
    const focused = await page.evaluate(async () => {
      const enter = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })
      document.activeElement?.dispatchEvent(enter)
      // The render is queued as a microtask, an effect after the next frame.
      await new Promise<void>((done) => {
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener("message", () => done())
        port1.start()
        port2.postMessage("")
      })
      const atOnce = document.activeElement?.getAttribute("aria-label")
      document.querySelector<HTMLElement>("#main")?.focus()
      for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame)
      return [atOnce, document.activeElement?.id]
    })
    t.strictSame(focused, ["Remove First", "main"])
    await page.getByRole("button", { name: "Remove First" }).click()
  })

  await t.test(
    "C-1826, C-1827: a recipe is filled in, tried and created with the keyboard alone",
    async (t) => {
      await page.getByRole("button", { name: "Alone up to an amount" }).focus()
      await pick("User", "alice")
      await page.getByRole("button", { name: "Remove alice" }).waitFor()
      await page.getByRole("button", { name: "Alone up to an amount" }).focus()
      await pick("Wallet", "First")
      await page.getByRole("button", { name: "Alone up to an amount" }).focus()
      await pick("Chain", "Sepolia (eip155:11155111)")
      await tabTo(page, "At most")
      await keyboard.type("1.5")
      await page
        .getByText("which is 1,500,000,000,000,000,000 of the smallest unit", { exact: false })
        .waitFor()
      await keyboard.press("Enter")
      await page.waitForFunction(() =>
        document.querySelector(".editor")?.shadowRoot?.textContent?.includes("11155111"),
      )
      t.match(await condition.innerText(), /eth\.tx\.chain_id == 11155111 && .* <= 1500000000000000000/)
      t.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "alice pays up to 1.5 ether")
      await page.getByText("Names of the ids above").waitFor()
      await condition.press("ControlOrMeta+End")
      await keyboard.type(" &&")
      await page
        .getByRole("status")
        .filter({ hasText: /expected|end/i })
        .first()
        .waitFor()
      for (const _ of " &&") await keyboard.press("Backspace")
      await finish(t, "policy-recipe")
      await tabTo(page, "Create policy")
      await keyboard.press("Enter")
      const dialog = page.getByRole("dialog")
      await dialog.getByText("What will be stamped").waitFor()
      await dialog.getByText(/^Of the last \d+ activities, this policy does not apply to any\.$/).waitFor()
      await dialog.getByText(/the policy allows nothing there/).waitFor()
      await tabTo(page, "Create policy")
      await keyboard.press("Enter")
      await dialog.getByText("Completed").waitFor()
      await keyboard.press("Escape")
    },
  )
}
