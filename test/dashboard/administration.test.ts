import { createECDH } from "node:crypto"
import t from "tap"
import { findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { openDashboard, picture, seriousFindings } from "../harness/dashboard.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { chooseOf, commandOf, finisher, opener, review, stamp, tabTo } from "./steps.ts"

const skip = findChromium() ? false : NO_CHROMIUM

t.test("administrators settle logins, find organizations and stamp in a browser", { skip }, async (t) => {
  const system = await openDashboard(t)
  const { page, complaints, origins, url, directory } = system
  const command = commandOf(system)
  const env = readEnvFile(directory)
  const finish = finisher(page)
  const open = opener(page, url)
  const dialog = page.getByRole("dialog")

  await t.test("login: origins are added and removed, and tried by the proxy's own rule", async (t) => {
    await open("/login")
    await page.getByText(/pages of every origin may start logins/).waitFor()
    await finish(t, "login-settings")
    await page.getByRole("button", { name: "Add origin" }).click()
    await page.getByLabel("Origin", { exact: true }).fill("https://app.example.com/path")
    await page.getByRole("button", { name: "Review" }).click()
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText(/is no origin; write scheme and host/).waitFor()
    t.equal(await page.getByLabel("Origin", { exact: true }).getAttribute("aria-invalid"), "true")
    await page.getByLabel("Origin", { exact: true }).fill("https://App.example.com/")
    await stamp(page, "Save")
    await page
      .getByRole("table", { name: "Allowed origins" })
      .getByText("https://app.example.com")
      .first()
      .waitFor()
    const attempt = async (origin: string) => {
      await page.getByLabel("Try an origin").fill(origin)
      await page.getByRole("button", { name: "Try", exact: true }).click()
      return page
        .getByRole("status")
        .filter({ hasText: /rule|asked/ })
        .innerText()
    }
    t.match(await attempt("https://app.example.com"), /gets an answer/)
    t.match(await attempt("https://evil.example"), /is refused: ORIGIN_NOT_ALLOWED/)
    t.match(await attempt(""), /without an origin is refused/)
    t.match(await attempt(url), /gets no answer[^]*was asked/)
    await page.getByRole("button", { name: "Allow them" }).click()
    await stamp(page, "Save")
    await page.getByRole("button", { name: "Refuse them" }).waitFor()
    await chooseOf(page, "https://app.example.com", "Remove")
    await review(page)
    await dialog.getByLabel("Type https://app.example.com to go on").fill("https://app.example.com")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Completed").waitFor()
    await dialog.getByRole("button", { name: "Done" }).click()
    await page.getByText(/pages of every origin may start logins/).waitFor()
    let last = ""
    // The auth proxy uses settings for two seconds before it asks for them again.
    for (let attempts = 0; attempts < 100 && !/gets an answer/.test(last); attempts++) {
      last = await attempt(url)
      await page.waitForTimeout(200)
    }
    t.match(last, /gets an answer[^]*was asked/)
  })

  await t.test("login: sessions and codes are changed with the keyboard alone", async (t) => {
    await page.getByRole("link", { name: "Sessions and codes" }).click()
    await page.getByRole("heading", { name: "Sessions and codes" }).waitFor()
    await page
      .locator("section", { has: page.getByRole("heading", { name: "Sessions and codes" }) })
      .getByRole("button")
      .focus()
    await page.keyboard.press("Enter")
    await tabTo(page, "Code length")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("12")
    await page.keyboard.press("Enter")
    await dialog.getByText("Must be from 6 to 9").waitFor()
    await page.getByLabel("Code length").focus()
    await page.keyboard.press("Control+a")
    await page.keyboard.type("8")
    await page.keyboard.press("Enter")
    await dialog.getByText("What will be stamped").waitFor()
    await tabTo(page, "Save")
    await page.keyboard.press("Enter")
    await dialog.getByText("Completed").waitFor()
    await page.keyboard.press("Escape")
    await page.getByText("8 letters and digits").waitFor()
    t.equal(await dialog.count(), 0)
  })

  await t.test("login: a template is previewed by the fetcher's renderer, and used", async (t) => {
    await page.getByRole("link", { name: "Messages" }).click()
    await page.getByRole("button", { name: "Create template" }).click()
    await dialog.getByLabel("Name").fill("Blue")
    await dialog.getByLabel("HTML").fill("<p>{{ .OtpCode }}</p><script>x</script>")
    await dialog.getByText("No message can be made of this.").waitFor()
    await dialog
      .getByLabel("HTML")
      .fill(
        '<p style="color:blue">{{ .AppName }}: {{ .OtpCode }}</p><img src="https://pictures.example/a.png">',
      )
    const mail = dialog.frameLocator("iframe")
    t.match(await mail.locator("p").innerText(), /^.+: [0-9A-Z]{8}$/)
    // The network is never idle here: the picture that the policy blocks stays asked for.
    t.strictSame(await seriousFindings(page), [])
    await picture(page, "login-template")
    await stamp(page, "Create template")
    await page.getByRole("table", { name: "E-mail templates" }).getByText("Blue").first().waitFor()
    await page.getByRole("button", { name: "Change the wording" }).click()
    await dialog.getByLabel("Application’s name").fill("Acme & Sons")
    await dialog.getByLabel("Text message", { exact: true }).fill("Acme code")
    await dialog.getByText(/must show the code/).waitFor()
    await dialog.getByLabel("Text message", { exact: true }).fill("Acme code {{ .OtpCode }}")
    t.match(await dialog.frameLocator("iframe").locator("p").innerText(), /^Acme & Sons: /)
    await stamp(page, "Save")
    t.match(await page.frameLocator("main iframe").locator("p").innerText(), /^Acme & Sons: /)
    await page.getByText(/^Acme code [0-9A-Z]{8}$/).waitFor()
  })

  await t.test(
    "login: providers and their credentials, whose secret leaves the browser sealed",
    async (t) => {
      await page.getByRole("link", { name: "Ways to log in" }).click()
      await page.getByRole("button", { name: "Add credential" }).click()
      await dialog.getByLabel("Client id").fill("discord-app")
      await dialog.getByLabel("Provider").selectOption("Discord")
      await dialog.getByLabel("Client secret").fill("a secret of Discord")
      await page.getByRole("button", { name: "Review" }).click()
      t.notMatch(await dialog.innerText(), /a secret of Discord/)
      await dialog.getByRole("button", { name: "Add credential" }).click()
      await dialog.getByText("Completed").waitFor()
      await dialog.getByRole("button", { name: "Done" }).click()
      await page
        .getByRole("table", { name: "OAuth 2.0 credentials" })
        .getByText("Discord", { exact: true })
        .waitFor()
      const applications = page.locator("section", {
        has: page.getByRole("heading", { name: "Accepted applications" }),
      })
      await applications.getByRole("button", { name: "Change" }).click()
      await dialog.getByLabel("Issuers and client ids").fill("not-an-issuer 1")
      await page.getByRole("button", { name: "Review" }).click()
      await dialog.getByRole("button", { name: "Save" }).click()
      await dialog.getByText(/takes a JSON object/).waitFor()
      await dialog.getByLabel("Issuers and client ids").fill("https://accounts.google.com 1234")
      await stamp(page, "Save")
      await applications.getByText("https://accounts.google.com").waitFor()
      await finish(t, "login-providers")
    },
  )

  await t.test(
    "sub-organizations: pages come from the server, and a search by contact finds one",
    async (t) => {
      for (let index = 0; index < 12; index++)
        await command("create_sub_organization", "create_sub_organization_v7", endUser(index))
      let asked = 0
      page.on("request", (request) => request.url().includes("/public/v1/query/") && (asked += 1))
      await open("/organizations")
      const rows = page.getByRole("table", { name: "Sub-organizations" }).locator("tbody tr")
      await page.getByRole("link", { name: "End user 0" }).waitFor()
      await page.waitForLoadState("networkidle")
      t.equal(await rows.count(), 10)
      t.ok(asked < 20, `${asked} queries for a page of ten`)
      await finish(t, "organizations")
      await page.getByRole("button", { name: "Next" }).click()
      await page.getByRole("link", { name: "End user 11" }).waitFor()
      t.equal(await rows.count(), 2)
      await page.getByLabel("Search by").selectOption("E-mail address")
      await page.getByLabel("Value").fill("not an address")
      await page.getByRole("button", { name: "Search", exact: true }).last().click()
      await page
        .locator("main")
        .getByRole("alert")
        .getByText(/filterValue/)
        .waitFor()
      await page.getByLabel("Value").fill("user3@example.com")
      await page.keyboard.press("Enter")
      await page.getByRole("link", { name: "End user 3" }).click()
      await page.getByRole("heading", { name: "End user 3" }).waitFor()
      await page.getByText("user3@example.com").waitFor()
      await finish(t, "organization")
    },
  )

  await t.test(
    "console: a query is sent, and an activity is stamped, with the same call as a command",
    async (t) => {
      await open("/console")
      await page.getByRole("button", { name: "Send" }).click()
      t.match(await page.getByLabel("Reply").innerText(), /"username": "root"/)
      await page.getByLabel("Search operations").fill("create user tag")
      await page.getByLabel(/^Operation/).selectOption("create_user_tag")
      const parameters = page.getByLabel("Parameters as JSON")
      t.match(await parameters.inputValue(), /"userTagName": ""/)
      await parameters.fill("{")
      await page.getByText(/This is no JSON/).waitFor()
      await parameters.fill('{"userTagName":"operators","userIds":[]}')
      t.match(
        await page.getByLabel("Command").innerText(),
        /countersign request create_user_tag '\{"userTagName":"operators","userIds":\[\]\}' --submit create_user_tag/,
      )
      await finish(t, "console")
      await page.locator("main").getByRole("button", { name: "Review" }).click()
      await stamp(page, "Stamp and send")
      t.match(await page.getByLabel("Reply").innerText(), /ACTIVITY_STATUS_COMPLETED/)
    },
  )

  await t.test("console: a form for each operation is made from the API's own document", async (t) => {
    const json = page.getByLabel("Parameters as JSON")
    await page.getByLabel("Search operations").fill("create users")
    await page.getByLabel(/^Operation/).selectOption("create_users (V4)")
    await page.getByRole("button", { name: "Add users" }).click()
    const user = page.getByRole("group", { name: "users 1" })
    await user.getByText("Human-readable name.").first().waitFor()
    await user.getByLabel("userName", { exact: true }).fill("erin")
    await user.getByLabel("userEmail (optional)").fill("nobody")
    await user.getByRole("button", { name: "Add apiKeys" }).click()
    const key = page.getByRole("group", { name: "apiKeys 1" })
    await key.getByLabel("apiKeyName", { exact: true }).fill("laptop")
    const publicKey = createECDH("prime256v1").generateKeys("hex", "compressed")
    await key.getByLabel("publicKey", { exact: true }).fill(publicKey)
    await key.getByLabel("curveType").selectOption("API_KEY_CURVE_P256")
    await page.locator("main").getByRole("button", { name: "Review" }).click()
    await user
      .getByRole("alert")
      .getByText(/users\[0\]\.userEmail/)
      .waitFor()
    t.equal(await user.getByLabel("userEmail (optional)").getAttribute("aria-invalid"), "true")
    t.equal(await dialog.count(), 0)
    await user.getByLabel("userEmail (optional)").fill("")
    const apiKeys = [{ apiKeyName: "laptop", publicKey, curveType: "API_KEY_CURVE_P256" }]
    const erin = { userName: "erin", apiKeys, authenticators: [], oauthProviders: [], userTags: [] }
    t.same(JSON.parse(await json.inputValue()), { users: [erin] }, "an empty optional member is absent")
    await finish(t, "console-form")
    await json.fill(JSON.stringify({ users: [{ ...erin, userName: "frank" }] }))
    t.equal(
      await user.getByLabel("userName", { exact: true }).inputValue(),
      "frank",
      "the form follows the JSON",
    )
    await page.locator("main").getByRole("button", { name: "Review" }).click()
    await stamp(page, "Stamp and send")
    await open("/people")
    await page.getByRole("link", { name: "frank" }).waitFor()
  })

  t.test(
    "W10: no page asks a third party, and the policy blocks nothing but the preview's pictures",
    async (t) => {
      const expected = /pictures\.example|wallet_kit_config.*blocked by CORS policy/
      t.strictSame(
        complaints.filter((text) => !expected.test(text)),
        [],
      )
      t.same(origins, new Set([url, env["BASE_URL"], env["AUTH_PROXY_URL"]]))
    },
  )
})

/** Parameters of a sub-organization with one user, whose contact is of this number. */
function endUser(index: number) {
  const user = { userName: `user${index}`, userEmail: `user${index}@example.com` }
  const publicKey = createECDH("prime256v1").generateKeys("hex", "compressed")
  const apiKeys = [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" }]
  const credentials = { apiKeys, authenticators: [], oauthProviders: [] }
  return {
    subOrganizationName: `End user ${index}`,
    rootQuorumThreshold: 1,
    rootUsers: [{ ...user, ...credentials }],
  }
}
