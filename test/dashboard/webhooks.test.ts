// Webhooks and the readiness of the deployment in a browser: a real receiver, and mostly the keyboard alone.
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import t, { type Test } from "tap"
import { findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { openDashboard } from "../harness/dashboard.ts"
import { commandLine } from "../services/cli/command-line.ts"
import { membersOf, readEnvFile } from "../services/cli/dev-process.ts"
import { DEV_CHAIN_ID } from "../services/cli/with-dev/shared-dev.ts"
import {
  chooseOf,
  explains,
  finisher,
  followByKeyboard,
  opener,
  review,
  stamp,
  stampByKeyboard,
  submitter,
  tabTo,
  tabToElement,
} from "./steps.ts"

const skip = findChromium() ? false : NO_CHROMIUM
const UNKNOWN = "00000000-0000-4000-8000-000000000000"
const FEATURE_ENDPOINT = "00000000-0000-0000-0000-000000000000"
const PAGE_ROWS = 25
const CHAIN = `eip155:${DEV_CHAIN_ID}`
const OTHER = "0x000000000000000000000000000000000000dEaD"

t.test("administrators look after webhooks in a browser", { skip }, async (t) => {
  const system = await openDashboard(t)
  const { page, complaints, url, directory } = system
  const finish = finisher(page)
  const open = opener(page, url)
  const dialog = page.getByRole("dialog")
  const heading = (name: string | RegExp) => page.getByRole("heading", { name, level: 1 }).waitFor()
  const deliveries = page.getByRole("table", { name: "Deliveries" }).locator("tbody tr")
  const receiver = await openReceiver(t)
  const submit = submitter(directory)

  await t.test("an endpoint is created, paused and deleted; an inner address is refused", async (t) => {
    await open("/webhooks")
    await page.getByRole("button", { name: "Create endpoint" }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("Ledger")
    await dialog.getByLabel("URL").fill("https://10.0.0.1/hook")
    await page.getByRole("button", { name: "Review" }).click()
    await dialog.getByRole("button", { name: "Create endpoint" }).click()
    await dialog.getByRole("alert").waitFor()
    t.equal(await dialog.getByLabel("URL").getAttribute("aria-invalid"), "true")
    await dialog.getByLabel("URL").fill("https://hooks.example.com/in")
    await stamp(page, "Create endpoint")
    await chooseOf(page, "Ledger", "Pause")
    await stamp(page, "Pause")
    await page.getByText("Paused").waitFor()
    await finish(t, "webhooks")
    await chooseOf(page, "Ledger", "Delete")
    await review(page)
    await dialog.getByLabel("Type Ledger to go on").fill("Ledger")
    await dialog.getByRole("button", { name: "Delete endpoint" }).click()
    await dialog.getByText("Completed").waitFor()
    await dialog.getByRole("button", { name: "Done" }).click()
    await page.getByText("No endpoint is notified of activities yet.").waitFor()
    await open(`/webhooks/${UNKNOWN}`)
    await page.getByText(`no endpoint ${UNKNOWN}`).waitFor()
  })

  await t.test("an endpoint follows balances of own accounts and of others, and is copied", async (t) => {
    const accounts = dialog.getByRole("group", { name: "Accounts" })
    await open("/webhooks")
    await page.getByRole("button", { name: "Create endpoint" }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("Deposits")
    await dialog.getByLabel("URL").fill("https://hooks.example.com/balances")
    await dialog.getByLabel("Activities").uncheck()
    await dialog.getByLabel("Final balances").check()
    await page.getByRole("button", { name: "Review" }).click()
    await accounts.getByText("Add the accounts whose balances are followed.").waitFor()
    const own = accounts.getByRole("combobox", { name: "Accounts" })
    await own.fill("First")
    await accounts.getByRole("option", { name: /^First 0x/ }).click()
    await accounts.getByText(/^First 0x[0-9a-fA-F]{40} on Ethereum \(eip155:1\)$/).waitFor()
    await page.getByRole("button", { name: "Review" }).click()
    await dialog.getByRole("button", { name: "Create endpoint" }).click()
    await accounts.getByText("this service reaches no node of eip155:1").waitFor()
    await accounts.getByRole("button", { name: /^Remove First/ }).click()
    const wallet = readEnvFile(directory)["SIGN_WITH"] ?? ""
    for (const address of [wallet, OTHER]) {
      await accounts.getByLabel("Another address").fill(`${CHAIN}:${address}`)
      // Leaving the field adds it too.
      if (address === OTHER) await page.keyboard.press("Tab")
      else await accounts.getByRole("button", { name: "Add address" }).click()
      await accounts.getByText(`${address} on ${CHAIN}`).waitFor()
    }
    await finish(t, "webhook-balances")
    await stamp(page, "Create endpoint")
    await page.getByRole("link", { name: "Deposits" }).click()
    await heading("Deposits")
    await page.getByText(`First ${wallet} on ${CHAIN}`).waitFor()
    await page.getByText(`${OTHER} on ${CHAIN}`).waitFor()
    await open("/webhooks")
    await chooseOf(page, "Deposits", "Copy")
    t.equal(await dialog.getByLabel("Final balances").isChecked(), true)
    await dialog.getByLabel("Name", { exact: true }).fill("Copied")
    await accounts.getByRole("button", { name: `Remove ${OTHER} on ${CHAIN}` }).click()
    await stamp(page, "Create endpoint")
    const paused = { eventType: "ACTIVITY_UPDATES", isActive: false }
    const quiet = { name: "Quiet", url: "https://hooks.example.com/quiet", subscriptions: [paused] }
    await submit("create_webhook_endpoint", quiet)
    await open("/webhooks")
    await page.getByText("Activities (paused)").waitFor()
    await chooseOf(page, "Quiet", "Copy")
    await dialog.getByRole("group", { name: "Paused events" }).getByLabel("Activities").uncheck()
    await dialog.getByLabel("Name", { exact: true }).fill("Resumed")
    await stamp(page, "Create endpoint")
    const { out } = await commandLine(
      { COUNTERSIGN_DATA_DIR: directory },
      "webhook",
      "list",
      "--json",
      "--as",
      "root",
    )
    const { webhookEndpoints } = JSON.parse(out) as { webhookEndpoints: Listed[] }
    const filterOf = (name: string) => webhookEndpoints.find((one) => one.name === name)?.subscriptions
    const following = (...addresses: string[]) => [
      {
        eventType: "BALANCE_FINALIZED_UPDATES",
        filtersJson: JSON.stringify({ addresses: addresses.map((address) => `${CHAIN}:${address}`) }),
      },
    ]
    t.match(filterOf("Deposits"), following(wallet, OTHER))
    t.match(filterOf("Copied"), following(wallet))
    t.match(filterOf("Quiet"), [paused])
    t.match(filterOf("Resumed"), [{ eventType: "ACTIVITY_UPDATES", isActive: true }], "C-1896")
    for (const { endpointId, name } of webhookEndpoints)
      if (/^(?:Deposits|Copied|Quiet|Resumed)$/.test(name))
        await submit("delete_webhook_endpoint", { endpointId })
  })

  let endpointId = ""
  await t.test("with the keyboard alone: an endpoint is made and tested", async (t) => {
    await open("/webhooks")
    await tabTo(page, "Create endpoint")
    await page.keyboard.press("Enter")
    await tabTo(page, "Name")
    await page.keyboard.type("Books")
    await tabTo(page, "URL")
    await page.keyboard.type(receiver.url)
    await stampByKeyboard(page, "Create endpoint")
    await page.keyboard.press("Escape")
    await followByKeyboard(page, "Books", page.getByRole("heading", { name: "Books", level: 1 }))
    endpointId = new URL(page.url()).pathname.split("/")[2] ?? ""
    await tabTo(page, "Send a test")
    await page.keyboard.press("Enter")
    await stampByKeyboard(page, "Send a test")
    await dialog.getByText("Delivered: HTTP 200").waitFor()
    await page.keyboard.press("Escape")
    t.equal(await dialog.count(), 0)
    const delivered = deliveries.filter({ hasText: "Test" }).filter({ hasText: "Delivered" })
    await delivered.waitFor()
    await explains(page, delivered, "Delivered", "The receiver answered with a 2xx status.")
    await finish(t, "webhook-endpoint")
    t.match(receiver.tests(), [{ body: { msg: { endpointId } } }])
  })

  await t.test("with the keyboard alone: a dead delivery is looked at and sent again", async (t) => {
    receiver.answer = 400
    await tabTo(page, "Send a test")
    await page.keyboard.press("Enter")
    await stampByKeyboard(page, "Send a test")
    await dialog.getByText("Dead: HTTP 400").waitFor()
    await tabTo(page, "See its attempts")
    await page.keyboard.press("Enter")
    await heading(/^Test …[0-9a-f]{8}$/)
    t.equal(await dialog.count(), 0)
    const attempts = page.getByRole("table", { name: "Attempts" }).locator("tbody tr")
    t.match(await attempts.allInnerTexts(), [/^HTTP 400\s+\d+ ms/])
    const body = JSON.parse(await page.getByLabel("Body").innerText())
    const [, refused] = receiver.tests()
    t.strictSame(body, refused?.body)
    await finish(t, "webhook-delivery")
    receiver.answer = 200
    await tabTo(page, "Redeliver")
    await page.keyboard.press("Enter")
    await stampByKeyboard(page, "Redeliver")
    await dialog.getByText("Delivered: HTTP 200").waitFor()
    await page.keyboard.press("Escape")
    await attempts.nth(1).waitFor()
    t.match(await attempts.allInnerTexts(), [/^HTTP 200/, /^HTTP 400/], "the newest first")
    t.strictSame(receiver.tests().slice(1), [refused, refused], "the same event with the same id")
    t.equal(refused?.eventId, new URL(page.url()).pathname.split("/")[3])
  })

  await t.test(
    "with the keyboard alone: deliveries are filtered, and all dead ones sent again",
    async (t) => {
      receiver.answer = 400
      for (const name of ["a", "b"]) await submit("create_user_tag", { userTagName: name, userIds: [] })
      await tabTo(page, "All deliveries to Books")
      await page.keyboard.press("Enter")
      await heading("Books")
      await tabToElement(page, page.getByLabel(/^Event/))
      await page.keyboard.press("ArrowDown")
      await page.waitForURL(/event=ACTIVITY_UPDATES/)
      await tabToElement(page, page.getByLabel(/^Status/))
      await page.keyboard.press("End")
      await page.waitForURL(/status=DEAD/)
      await deliveries.filter({ hasText: "Dead" }).nth(1).waitFor()
      for (const text of await deliveries.allInnerTexts()) t.match(text, /^Activities …[0-9a-f]{8}\s+Dead/)
      receiver.answer = 200
      await tabTo(page, "Redeliver all dead")
      await page.keyboard.press("Enter")
      await stampByKeyboard(page, "Redeliver all dead")
      await page.keyboard.press("Escape")
      await page.getByText("No delivery fits.").waitFor()
      await tabTo(page, "Show all")
      await page.keyboard.press("Enter")
      await deliveries.filter({ hasText: "Test" }).first().waitFor()
      t.notMatch(page.url(), /status|event/)
    },
  )

  await t.test("deliveries come from the API a page at a time, also those of the feature", async (t) => {
    await submit("set_organization_feature", { name: "FEATURE_NAME_WEBHOOK", value: receiver.url })
    for (let sent = 0; sent <= PAGE_ROWS; sent++)
      await submit("send_webhook_test_event", { endpointId: FEATURE_ENDPOINT })
    await open("/webhooks")
    await page.getByRole("link", { name: "Deliveries" }).click()
    await heading("FEATURE_NAME_WEBHOOK")
    await page.getByLabel(/^Event/).selectOption("Test")
    await page.getByRole("button", { name: "Older" }).click()
    await page.getByText("Page 2").waitFor()
    await deliveries.getByRole("link").first().waitFor()
    t.equal(await deliveries.count(), 1)
    await page.getByRole("button", { name: "Newer" }).click()
    await deliveries.nth(PAGE_ROWS - 1).waitFor()
    t.equal(await deliveries.count(), PAGE_ROWS)
    await deliveries.getByText("Pending").first().waitFor({ state: "hidden" })
  })

  await t.test("system: a signer that does not answer is named, and its return is seen", async (t) => {
    const signer = membersOf(system.system).get("signer")
    if (signer === undefined) throw new Error("the development system names no signer")
    t.teardown(() => process.kill(signer, "SIGCONT"))
    const readiness = page.getByLabel("Readiness", { exact: true })
    await open("/system")
    await readiness.getByText("Served", { exact: true }).waitFor()
    t.equal(await readiness.getByText("Not ready").count(), 0)
    process.kill(signer, "SIGSTOP")
    await tabTo(page, "Check again")
    await page.keyboard.press("Enter")
    await readiness.getByText("Not served").waitFor()
    t.match(await readiness.innerText(), /Database\s+Ready[^]*Signer\s+Not ready\s+no answer/)
    await finish(t, "system-not-ready")
    await page.reload()
    await readiness.getByText("Not served").waitFor()
    process.kill(signer, "SIGCONT")
    await readiness.getByText("Served", { exact: true }).waitFor()
  })

  t.test("W10: the policy blocks nothing", async (t) => {
    // The API answers 503 while its signer stands still.
    t.strictSame(
      complaints.filter((text) => !/status of 50[34]/.test(text)),
      [],
    )
  })
})

type Listed = {
  endpointId: string
  name: string
  subscriptions: { filtersJson?: string; isActive?: boolean }[]
}

/** A receiver that answers with one status. */
async function openReceiver(t: Test) {
  const received: { eventId: string; body: { type: string } }[] = []
  const receiver = {
    answer: 200,
    url: "",
    /** Test events, in the order in which they came. */
    tests: () => received.filter(({ body }) => body.type === "webhook:test"),
  }
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse((await buffer(request)).toString()) as { type: string }
    received.push({ eventId: String(request.headers["x-turnkey-event-id"]), body })
    response.writeHead(receiver.answer).end()
  }
  const server = createServer((request, response) => void receive(request, response)).listen(0, "localhost")
  await once(server, "listening")
  t.teardown(() => server.close())
  receiver.url = `http://localhost:${(server.address() as AddressInfo).port}/books`
  return receiver
}
