import { createECDH } from "node:crypto"
import t from "tap"
import { findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { overflow } from "../appearance/look.ts"
import { openDashboard, picture, seriousFindings } from "../harness/dashboard.ts"
import { newWitnessKey } from "../harness/witness-keys.ts"
import { writeNoteKey } from "../../signer/core/log/note-key.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { keyboardRuns } from "./keyboard.ts"
import { loginRuns } from "./login-runs.ts"
import { recipeRuns } from "./policy-runs.ts"
import { systemRuns } from "./system-page.ts"
import { walletRuns } from "./wallet-runs.ts"
import {
  askForVotes,
  chooseOf,
  commandOf,
  explains,
  finisher,
  focused,
  opener,
  stamp,
  submitter,
  tabTo,
} from "./steps.ts"

const skip = findChromium() ? false : NO_CHROMIUM

t.test("administrators do the main task of each page in a browser", { skip }, async (t) => {
  const system = await openDashboard(t)
  const { page, complaints, origins, link, url, directory } = system
  const command = commandOf(system)
  const env = readEnvFile(directory)
  const finish = finisher(page)
  const open = opener(page, url)

  await t.test("home lists what is unsafe in a new organization", async (t) => {
    await page.getByText("One user can change everything alone").waitFor()
    t.match(await page.locator(".org").innerText(), /Dev/)
    const sections = await page.locator("#main h2").allInnerTexts()
    t.strictSame(sections.slice(0, 2), ["Your turn", "Safety"], "what waits and what is unsafe come first")
    await finish(t, "home")
  })

  await t.test("W11: a link logs in once, and its secret leaves the address", async (t) => {
    t.notMatch(page.url(), /#/)
    const context = await system.browser.newContext()
    const second = await context.newPage()
    await second.goto(link)
    t.match(await second.getByRole("alert").innerText(), /This link was used or has expired[^]*LINK_USED/)
    t.notMatch(second.url(), /#/)
    await second.goto("about:blank")
    await second.goto(`${url}/enter#short`)
    t.match(await second.getByRole("alert").innerText(), /not complete/)
    await context.close()
    await page.reload()
    await page.getByRole("heading", { name: "Dev" }).waitFor()
  })

  await t.test("activity shows a request, its votes, and what is checked in the browser", async (t) => {
    await open("/activity")
    await finish(t, "activity")
    await page.getByRole("link", { name: 'Create wallet "First"' }).click()
    await page.getByText("Stamps checked, no proof of the decision").waitFor()
    await page.getByText("In the log", { exact: true }).waitFor()
    await page
      .getByText(/^Its one decision is in the signer’s log under head [\d,]+, .*does not prove/)
      .waitFor()
    const members = page.getByRole("group", { name: "All members of the request" })
    t.match(await members.innerText(), /Wallet name\s+"First"/)
    await page.getByText("The same call as a command").click()
    t.match(
      await page.getByLabel("Command").innerText(),
      /countersign request create_wallet '\{"walletName":"First"/,
    )
    await finish(t, "activity-detail")
    await open("/activity?status=ACTIVITY_STATUS_REJECTED")
    await page.getByText("No activity fits.").waitFor()
  })

  await t.test("C-1825: activities are found by text and by person", async (t) => {
    await open("/activity")
    await page.getByRole("searchbox", { name: "Text" }).fill('wallet "first"')
    await page.getByText("1 activity found. All activities of this time were searched.").waitFor()
    await page.getByRole("link", { name: 'Create wallet "First"' }).waitFor()
    await page.getByRole("combobox", { name: "Person" }).fill("bob")
    await page.getByRole("option", { name: "bob" }).click()
    await page.getByText("No activity fits.", { exact: false }).waitFor()
    t.match(page.url(), /text=wallet.*person=/)
    await page.getByRole("button", { name: "Show all" }).click()
    await page.getByRole("link", { name: 'Create wallet "First"' }).waitFor()
    await page.getByRole("button", { name: "Completed" }).first().click()
    await page.getByText("The signer allowed the request and carried it out.").first().waitFor()
    await page.keyboard.press("Escape")
  })

  const alices = await askForVotes(command, env["SIGN_WITH"] ?? "")

  await t.test("C-1831: lists shorten digits that have a name", async (t) => {
    await open("/approvals")
    const line = page.getByRole("link", { name: /^Sign message "pay the supplier" with \[First\]/ })
    const address = env["SIGN_WITH"] ?? ""
    t.match(await line.innerText(), `[First] ${address.slice(0, 8)}…${address.slice(-6)}`)
    t.equal(await line.locator(".digits").first().getAttribute("title"), address)
  })

  await t.test("C-1893: a thing that does not exist leads to its list", async () => {
    await open("/activity/00000000-0000-4000-8000-000000000000")
    await page.getByText(/no activity 00000000-0000-4000-8000-000000000000 found/).waitFor()
    await page.getByRole("link", { name: "Go to Activity" }).click()
    await page.getByRole("link", { name: 'Create wallet "First"' }).waitFor()
  })

  await t.test("C-1892: an approver reads the request before the state of its votes", async (t) => {
    await open(`/approvals/${alices.message}`)
    await page.getByText(/bob can still vote/).waitFor()
    t.match(
      await page.locator("#main").innerText(),
      /^Approval[^]*Sign message "pay the supplier" with[^]*Text\s+"pay the supplier"[^]*1 vote so far\.[^]*Votes\n/,
    )
  })

  await t.test("approvals: the decoded request is approved, and the receipt says who stamped", async (t) => {
    await open("/approvals")
    await page.getByRole("link", { name: /^Sign message "pay the supplier" with \[First\] 0x/ }).waitFor()
    await finish(t, "approvals")
    await open(`/approvals/${alices.digest}`)
    await page.getByText("32 bytes may be the digest of anything").waitFor()
    await open(`/approvals/${alices.message}`)
    await page.getByText("pay the supplier").first().waitFor()
    await page.getByText("Proof checked against this browser’s pins").waitFor()
    await page
      .locator(".notice")
      .first()
      .getByText(/bob can still vote/)
      .waitFor()
    await finish(t, "approval")
    await page.getByRole("button", { name: "Approve", exact: true }).click()
    const dialog = page.getByRole("dialog")
    const words = /[a-z]+(?:-[a-z]+){7}/
    const body = dialog.locator(".dialog-body")
    await body.getByText(/bob can still vote/).waitFor()
    await body.getByText("Proof checked against this browser’s pins").waitFor()
    await body.getByText("What will be stamped").waitFor()
    t.equal(await dialog.getByRole("button", { name: "Review" }).count(), 0, "there is one dialog")
    const overflowY = await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)
    t.equal(overflowY, "hidden", "the page behind the dialog does not scroll")
    await body.getByText("All members of the request").first().click()
    const members = body.getByRole("group", { name: "All members of the request" }).first()
    t.match(await members.innerText(), /Payload\s+"pay the supplier"/)
    t.match(
      await body.innerText(),
      /Sign message "pay the supplier" with \[First\] 0x[^]*Message[^]*pay the supplier[^]*asked by alice[^]*1 vote so far\. It counts until 20\S+ \S+ UTC, (?:in \d+ hours|tomorrow)\.\s+bob can still vote[^]*sha256:/,
    )
    t.match(await body.innerText(), words)
    const verb = dialog.getByRole("button", { name: "Approve", exact: true })
    await page.setViewportSize({ width: 390, height: 844 })
    const findings = [...(await seriousFindings(page)), ...(await overflow(page))]
    t.strictSame(findings, [], "the dialog has no serious finding on a phone, and is not wider than it")
    const box = await verb.boundingBox()
    t.ok(box !== null && box.y + box.height <= 844, "its verb is in sight without scrolling")
    await page.setViewportSize({ width: 1440, height: 900 })
    await verb.click()
    await dialog.getByText("Completed").waitFor()
    await dialog.getByRole("button", { name: "Done" }).click()
    await page.getByText("It waits no longer.").waitFor()
  })

  await t.test(
    "W12: a request that was altered after its stamp is marked and cannot be approved",
    async (t) => {
      await page.route("**/query/get_activity", async (route) => {
        const reply = await route.fetch()
        const text = (await reply.text()).replaceAll('"aaaa', '"bbbb')
        await route.fulfill({ response: reply, body: text })
      })
      await open(`/approvals/${alices.digest}`)
      await page.getByText("Does not fit its proof: do not trust it").waitFor()
      t.equal(await page.getByText("Read from the stamped bytes", { exact: false }).count(), 0)
      t.equal(await page.getByRole("button", { name: "Approve", exact: true }).count(), 0)
      t.equal(await page.getByRole("button", { name: "Reject", exact: true }).count(), 1)
      await page.unroute("**/query/get_activity")
    },
  )

  await t.test(
    "W154: a leaf that is not in the log is marked in red, and keys of witnesses are kept",
    async (t) => {
      await page.route("**/query/get_log_proofs", async (route) => {
        const reply = await route.fetch()
        const body = (await reply.text()).replaceAll(/"leaf":"01../g, '"leaf":"0100')
        await route.fulfill({ response: reply, body })
      })
      await open("/activity")
      await page.getByRole("link", { name: 'Create wallet "First"' }).click()
      await page.getByText("The log’s proof does not hold", { exact: true }).waitFor()
      await explains(
        page,
        page.getByRole("table", { name: "Votes" }),
        "Approved",
        "It counts while the user has this credential",
      )
      await page.unroute("**/query/get_log_proofs")
      await page.getByText("Witnesses", { exact: true }).click()
      const keys = page.getByLabel(/^Keys of witnesses/)
      await keys.fill("no key")
      await page.getByRole("button", { name: "Check with these keys" }).click()
      await page.getByText(/“no key” is no key of a witness/).waitFor()
      await keys.fill(writeNoteKey(newWitnessKey("witness.example/1").key))
      await page.getByRole("button", { name: "Check with these keys" }).click()
      await page.getByText(/, seen by 0 of 1 witness\./).waitFor()
      await page.reload()
      await page.getByText(/, seen by 0 of 1 witness\./).waitFor()
      t.strictSame(await seriousFindings(page), [])
    },
  )

  await t.test("wallets: an account is derived, and its proof is checked", async (t) => {
    await open("/wallets")
    await finish(t, "wallets")
    await page.getByRole("link", { name: "First" }).click()
    await page.getByRole("button", { name: "Ethereum" }).click()
    await page.getByRole("img", { name: /QR code of 0x/ }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Derive account" }).click()
    await page.getByLabel("Chain").selectOption("Solana")
    await page.getByLabel("Index").fill("x")
    await page.getByRole("button", { name: "Review" }).click()
    await page.getByRole("dialog").getByText("m/44'/501'/NaN'").first().waitFor()
    await open(page.url().replace(url, ""))
    await page.getByRole("button", { name: "Derive account" }).click()
    await page.getByLabel("Chain").selectOption("Solana")
    t.match(await stamp(page, "Derive account"), /Addresses/)
    await page.getByRole("button", { name: "Solana" }).waitFor()
    await finish(t, "wallet")
  })

  await t.test("wallets: an export is opened in the browser after its name is typed", async (t) => {
    await chooseOf(page, "First", "Export")
    const verb = page.getByRole("button", { name: "Export wallet" })
    t.ok(await verb.isDisabled())
    await page.getByLabel("Type First to go on").fill("First")
    await verb.click()
    await page.getByRole("button", { name: "Show the mnemonic" }).click()
    t.match(await page.getByLabel("Mnemonic").innerText(), /^(?:[a-z]+ ){11,23}[a-z]+$/)
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByText("Exported").waitFor()
  })

  await t.test("people: what is wrong stands beside the field, in the field's own words", async (t) => {
    await open("/people")
    await page.getByText("Nobody is invited.", { exact: false }).waitFor()
    await finish(t, "people")
    await page.getByRole("button", { name: "Create user" }).click()
    await page.getByLabel("E-mail address (optional)").fill("nobody")
    await page.getByLabel("Name", { exact: true }).fill("carol")
    await page.getByRole("button", { name: "Review" }).click()
    await page.getByRole("dialog").getByRole("alert").waitFor()
    const field = page.getByLabel("E-mail address (optional)")
    t.equal(await field.getAttribute("aria-invalid"), "true")
    t.match(await page.getByRole("dialog").getByRole("alert").innerText(), /^Must be an e-mail address/)
    await picture(page, "people-fault")
    await field.fill("carol@example.com")
    await stamp(page, "Create user")
    await page.getByRole("link", { name: "carol" }).click()
    await page.getByText("carol@example.com").waitFor()
    await finish(t, "person")
  })

  await t.test(
    "policies: the editor completes and marks faults, and a draft is tried on recent activities",
    async (t) => {
      await signWithDeletedWallet(submitter(directory))
      await open("/policies")
      await finish(t, "policies")
      await page.getByRole("link", { name: "Create policy" }).click()
      await page.getByLabel("Name").fill("small payments")
      const condition = page.getByLabel("Condition: which requests")
      await condition.click()
      await page.keyboard.type("eth.tx.val")
      // The editor takes no key for a completion that has just appeared.
      await page.locator(".cm-tooltip-autocomplete").getByText("value").first().click()
      await page.keyboard.type(" < 'x' ")
      await page.locator(".cm-lintRange-error").first().waitFor()
      for (let i = 0; i < 5; i++) await page.keyboard.press("Backspace")
      await page.keyboard.type("1000 && eth.tx.to == '0xAB'")
      await page.locator(".cm-lintRange-error").first().waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Try" }).click()
      const replays = page.getByRole("table", { name: "Replay" })
      await replays
        .getByText(/Cannot be decided today/)
        .first()
        .waitFor()
      t.ok((await replays.getByText("as before").count()) > 0, "the others are decided")
      const unevaluated = replays.locator("td", { hasText: "Cannot be evaluated" }).first()
      t.match(await unevaluated.innerText(), /condition, eth\.tx\.value < ?1000: the request has no eth\.tx/)
      await page.getByText(/^Condition, '0xAB': never equal: an address of an EVM chain/).waitFor()
      await finish(t, "policy")
      await page.getByRole("button", { name: "Create policy" }).click()
      await stamp(page, "Create policy")
      await open("/policies")
      await page.getByRole("link", { name: "small payments" }).waitFor()
    },
  )

  await recipeRuns(t, system)
  await walletRuns(t, system)

  await t.test("a wallet is created with the keyboard alone", async (t) => {
    await open("/")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").waitFor()
    await page.keyboard.type("walle")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Wallets" }).waitFor()
    await tabTo(page, "Create wallet")
    await page.keyboard.press("Enter")
    await tabTo(page, "Name")
    await page.keyboard.type("By keyboard")
    await page.keyboard.press("Enter")
    await page.getByText("What will be stamped").waitFor()
    await tabTo(page, "Create wallet")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").getByText("Completed").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("link", { name: "By keyboard" }).waitFor()
    // The closed dialog gives the focus back to its opener.
    await page.waitForFunction(() => document.activeElement?.textContent === "Create wallet")
    await page.keyboard.press("j")
    t.match(await focused(page), /By keyboard|First/)
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    await page.keyboard.press("Escape")
  })

  await systemRuns(t, system)

  await keyboardRuns(t, system, {
    waitingId: alices.digest ?? "",
    policyName: "two-of-treasury",
    subOrganizationName: await subOrganization(command),
  })

  await t.test("on a phone the menu opens and closes", async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole("button", { name: "Menu", exact: true }).click()
    await page.getByRole("link", { name: "Policies" }).click()
    await page.getByRole("heading", { name: "Policies" }).waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await t.test("a page says what to do while the API does not answer, and goes on when it does", async () => {
    await page.route("**/public/v1/**", (route) => route.abort())
    await page.goto(`${url}/wallets`)
    await page
      .getByText(/No answer from the API at/)
      .first()
      .waitFor()
    await page.unroute("**/public/v1/**")
    await page.getByRole("button", { name: "Try again" }).first().click()
    await page.getByRole("link", { name: "First" }).waitFor()
  })

  await t.test("C-1929: nothing moves for longer than 150 ms, also while a page loads", async (t) => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route("**/public/v1/**", (route) => held.then(() => route.continue()))
    await page.emulateMedia({ reducedMotion: "no-preference" })
    await page.goto(`${url}/wallets`)
    await page.locator(".skeleton").first().waitFor()
    const times = await page.evaluate(() => [
      ...document.getAnimations().map((animation) => Number(animation.effect?.getComputedTiming().endTime)),
      ...[...document.querySelectorAll("*")].flatMap((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element)
        return `${transitionDuration},${animationDuration}`
          .split(",")
          .map((text) => Number.parseFloat(text) * 1000)
      }),
    ])
    t.ok(times.includes(120), "buttons change their background")
    t.same(
      times.filter((ms) => !(ms <= 150)),
      [],
    )
    release()
    await page.getByRole("link", { name: "First" }).waitFor()
    await page.unroute("**/public/v1/**")
    await page.emulateMedia({ reducedMotion: "reduce" })
    const looks = await page.evaluate(() =>
      [...document.querySelectorAll("body *")].map((element) => {
        const { fontSize, fontWeight, transitionDuration } = getComputedStyle(element)
        return { size: Number.parseFloat(fontSize), weight: Number(fontWeight), moves: transitionDuration }
      }),
    )
    const distinct = (of: (look: (typeof looks)[number]) => number | string) => new Set(looks.map(of))
    t.same(
      distinct(({ moves }) => moves),
      new Set(["0s"]),
      "nothing moves under reduced motion",
    )
    t.strictSame(
      [...distinct(({ size }) => size)].filter((size) => ![12, 14, 16, 20, 28].includes(Number(size))),
      [],
    )
    t.strictSame(
      [...distinct(({ weight }) => weight)].filter((weight) => weight !== 400 && weight !== 600),
      [],
    )
  })

  await loginRuns(t, system)

  t.test("W10: no page asks a third party, and the policy blocks nothing", async (t) => {
    t.strictSame(complaints, [])
    t.same(origins, new Set([url, env["BASE_URL"], env["AUTH_PROXY_URL"]]))
  })
})

/** A new sub-organization with one user. Returns its name. */
async function subOrganization(command: ReturnType<typeof commandOf>): Promise<string> {
  const subOrganizationName = "Customer 7"
  const publicKey = createECDH("prime256v1").generateKeys("hex", "compressed")
  const apiKeys = [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" }]
  const rootUsers = [{ userName: "customer", apiKeys, authenticators: [], oauthProviders: [] }]
  const parameters = { subOrganizationName, rootQuorumThreshold: 1, rootUsers }
  await command("create_sub_organization", "create_sub_organization_v7", parameters)
  return subOrganizationName
}

/** Signs with a wallet that is deleted afterwards. */
async function signWithDeletedWallet(submit: ReturnType<typeof submitter>): Promise<void> {
  const account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  }
  const made = await submit("create_wallet", { walletName: "Gone", accounts: [account] })
  const { walletId, addresses } = made.result["createWalletResult"] as {
    walletId: string
    addresses: string[]
  }
  await submit("sign_raw_payload_v2", {
    signWith: addresses[0],
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  })
  await submit("delete_wallets", { walletIds: [walletId], deleteWithoutExport: true })
}
