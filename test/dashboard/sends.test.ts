// A sent transaction in a browser, on a chain that mines when the test says so: what its page shows, and both ways to take its place.
import t, { type Test } from "tap"
import { findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { startAnvil } from "../harness/anvil.ts"
import { openDashboard } from "../harness/dashboard.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { DEV_CHAIN_ID, sharedDev } from "../services/cli/with-dev/shared-dev.ts"
import { finisher, focused, opener, submitter, tabTo } from "./steps.ts"

const skip = findChromium() ? false : NO_CHROMIUM
const FRIEND = "0x00000000000000000000000000000000000000AA"
const GWEI = 1_000_000_000n
const REPLACE = "Send with higher fees"
const CANCEL = "Cancel the transaction"

t.test("a transaction that waits is replaced or cancelled in a browser", { skip }, async (t) => {
  const { chainPort: port } = await sharedDev()
  const chain = await startAnvil(t, { words: ["--no-mining"], chainId: DEV_CHAIN_ID, port })
  const system = await openDashboard(t)
  const { page, url, directory, complaints } = system
  const from = readEnvFile(directory)["SIGN_WITH"] ?? ""
  await chain.call("anvil_setBalance", from, "0x56bc75e2d63100000")
  const caip2 = `eip155:${chain.chainId}`
  const submit = submitter(directory)
  const open = opener(page, url)
  const finish = finisher(page)
  const dialog = page.getByRole("dialog")
  const section = page.locator("section", {
    has: page.getByRole("heading", { name: "Transaction", exact: true }),
  })
  const becomes = (state: string) => section.getByText(state, { exact: true }).first().waitFor()
  /** A payment that waits until the test mines a block. */
  const pay = async (value: bigint, more: object = {}) => {
    const fees = { gasLimit: "21000", maxFeePerGas: String(2n * GWEI), maxPriorityFeePerGas: String(GWEI) }
    const body = { from, caip2, to: FRIEND, value: String(value), ...fees, ...more }
    const { id } = await submit("eth_send_transaction", body)
    await open(`/activity/${id}`)
    await becomes("Signed, waits for a block")
    return id
  }
  /** From the page's button to the review, by keys alone. Returns the text of what will be stamped. */
  const review = async (t: Test, verb: string, tip: bigint) => {
    await tabTo(page, verb)
    await page.keyboard.press("Enter")
    await dialog.getByText(/A chain includes at most one of the two/).waitFor()
    t.equal(await dialog.getByRole("button", { name: "Cancel", exact: true }).count(), 0, "no second meaning")
    await tabTo(page, "Highest tip for each unit of gas, wei")
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type(String(tip))
    await page.keyboard.press("Enter")
    await dialog.getByText("What will be stamped").waitFor()
    await dialog.getByRole("heading", { name: "Waiting transaction" }).waitFor()
    return dialog.innerText()
  }
  const stampReviewed = async (verb: string) => {
    await tabTo(page, verb)
    await page.keyboard.press("Enter")
    await dialog
      .getByText(/^(?:Signed|Included|Not included)/)
      .first()
      .waitFor()
    t.equal(await dialog.getByText("Completed", { exact: true }).count(), 0, "the chain has not decided yet")
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
  }

  await t.test("with the keyboard alone: the same payment with higher fees", async (t) => {
    const id = await pay(250_000_000_000_000_000n)
    t.match(await section.innerText(), /0x[0-9a-f]{64}/, "its hash")
    await finish(t, "send-waits")
    t.equal(await page.getByText("Completed", { exact: true }).count(), 0, "the chain has not included it")
    await open("/activity")
    const listed = page.locator("#main tbody tr").first()
    await listed.getByText("Signed, waits for a block", { exact: true }).waitFor()
    await finish(t, "send-waits-in-list")
    await open(`/activity/${id}`)
    await becomes("Signed, waits for a block")
    const text = await review(t, REPLACE, 3n * GWEI)
    for (const part of ["0.25", FRIEND, "Fee at most"])
      t.ok(text.split(part).length > 2, `${part} of both transactions: ${text}`)
    await finish(t, "send-review-replacement")
    await stampReviewed(REPLACE)
    await section.getByRole("link", { name: "the transaction in its place" }).waitFor()
    t.notMatch(await section.innerText(), /underpriced|refused/i)
    t.equal(await section.getByRole("button", { name: CANCEL }).count(), 0, "the newest one is replaced")
    t.notSame(await focused(page), "", "the focus is not lost")
    await finish(t, "send-replacement-waits")
    await chain.call("anvil_mine", "0x1")
    await becomes("Replaced")
    // The worker may see the other one's block later.
    await becomes("Included")
    await finish(t, "send-replaced")
    await tabTo(page, "the transaction in its place")
    await page.keyboard.press("Enter")
    await page.waitForURL((address) => !address.pathname.endsWith(id))
    await becomes("Included")
    t.equal(await section.getByRole("button", { name: REPLACE }).count(), 0)
  })

  await t.test("with the keyboard alone: a cancellation, and the payment is not made", async (t) => {
    const before = await chain.call<string>("eth_getBalance", FRIEND, "latest")
    await pay(7_000_000_000_000_000_000n)
    const text = await review(t, CANCEL, 3n * GWEI)
    t.match(text, /7 /, "the amount that is not paid")
    t.match(text, /It may still be the waiting one/)
    await finish(t, "send-review-cancellation")
    await stampReviewed(CANCEL)
    await section.getByRole("link", { name: "the cancellation" }).waitFor()
    await chain.call("anvil_mine", "0x1")
    await becomes("Cancelled")
    await finish(t, "send-cancelled")
    t.equal(await chain.call("eth_getBalance", FRIEND, "latest"), before)
  })

  await t.test("a cancellation that came too late says so, and the payment counts", async (t) => {
    const id = await pay(3n)
    await review(t, CANCEL, 3n * GWEI)
    await chain.call("anvil_mine", "0x1")
    await stampReviewed(CANCEL)
    await becomes("Included")
    await open("/activity")
    await page.locator("#main tbody a").first().click()
    await becomes("Not included")
    await section.getByRole("link", { name: "the earlier transaction" }).click()
    await page.waitForURL((address) => address.pathname.endsWith(id))
  })

  await t.test("what cannot be signed again says why before there is a form", async (t) => {
    await pay(0n, { to: from, data: "0x01", gasLimit: "30000" })
    await section.getByRole("button", { name: REPLACE }).click()
    await section
      .getByRole("alert")
      .getByText(/is a batch of calls/)
      .waitFor()
    t.equal(await dialog.count(), 0)
    await finish(t, "send-not-replaceable")
  })

  t.strictSame(complaints, [])
})
