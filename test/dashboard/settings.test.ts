// The settings of an organization in a browser: each is made, changed and deleted.
import { createPublicKey, verify } from "node:crypto"
import { readFileSync } from "node:fs"
import { fromBinary } from "@bufbuild/protobuf"
import type { Page } from "playwright-core"
import t, { type Test } from "tap"
import { NotarizedDocumentSchema } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { openDashboard, picture, seriousFindings } from "../harness/dashboard.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { chooseOf, finisher, focused, opener, stamp, stampGrave, tabToElement } from "./steps.ts"

const skip = findChromium() ? false : NO_CHROMIUM

t.test("administrators change the settings of their organization in a browser", { skip }, async (t) => {
  const system = await openDashboard(t)
  const { page, complaints, url, directory } = system
  const env = readEnvFile(directory)
  const finish = finisher(page)
  const open = opener(page, url)
  const dialog = page.getByRole("dialog")
  const section = (name: string) => page.locator("section", { has: page.getByRole("heading", { name }) })
  const table = (name: string) => page.getByRole("table", { name })

  await t.test("features", async (t) => {
    await open("/settings")
    await finish(t, "settings")
    await page.getByRole("button", { name: "Set feature" }).click()
    await dialog.getByLabel("Feature").selectOption("STRICT_DENY")
    await dialog.getByLabel("Value").fill("maybe")
    await page.getByRole("button", { name: "Review" }).click()
    await dialog.getByRole("button", { name: "Set feature" }).click()
    await dialog.getByText(/FEATURE_NAME_STRICT_DENY takes/).waitFor()
    await dialog.getByLabel("Value").fill("true")
    await stamp(page, "Set feature")
    await table("Features").getByText("STRICT_DENY").first().waitFor()
  })

  await t.test("session profiles are made, copied and deleted", async () => {
    await page.getByRole("button", { name: "Create profile" }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("signing")
    await dialog.getByLabel("Scope: which requests").fill("activity.action == 'SIGN'")
    await stamp(page, "Create profile")
    await chooseOf(page, "signing", "Copy")
    await dialog.getByText("A profile never changes").waitFor()
    await dialog.getByLabel("Name", { exact: true }).fill("signing for an hour")
    await dialog.getByLabel("Longest life, seconds (optional)").fill("3600")
    await stamp(page, "Create profile")
    const copy = table("Session profiles").locator("tr").filter({ hasText: "signing for an hour" })
    await copy.getByText("at most 1 hour").waitFor()
    await copy.getByText("activity.action == 'SIGN'").waitFor()
    await chooseOf(copy, "signing for an hour", "Delete")
    await stamp(page, "Delete profile")
    await copy.waitFor({ state: "detached" })
  })

  await t.test("MFA policies are made, changed and deleted, and one that locks out is refused", async (t) => {
    const mfa = section("MFA policies")
    await mfa.getByText("No MFA policy").waitFor()
    await mfa.getByRole("button", { name: "Create MFA policy" }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("careful exports")
    await dialog.getByLabel("Condition: which requests").fill("activity.action == 'EXPORT'")
    await page.getByRole("button", { name: "Review" }).click()
    await dialog.getByRole("button", { name: "Create MFA policy" }).click()
    await dialog.getByText(/meet 1 of 2 steps/).waitFor()
    const second = dialog.getByRole("group", { name: "Second factor, any of" }).last()
    await second.getByLabel("Passkey", { exact: true }).uncheck()
    await stamp(page, "Create MFA policy")
    const row = table("MFA policies").locator("tbody tr")
    await menuByKeyboard(page, t, "careful exports")
    t.match(
      await row.innerText(),
      /careful exports\s+API key or Session key\s+activity.action == 'EXPORT'\s+0/,
    )

    await chooseOf(row, "careful exports", "Change")
    const first = dialog.getByRole("group", { name: "First factor, any of" }).last()
    t.ok(await first.getByLabel("API key", { exact: true }).isChecked())
    await first.getByLabel("API key", { exact: true }).uncheck()
    await first.getByLabel("Session key", { exact: true }).uncheck()
    await first.getByLabel("Session key of profile “signing”").check()
    await dialog.getByLabel("Condition: which requests").fill("activity.action == 'SIGN'")
    await dialog.getByLabel("Rank").fill("x")
    await page.getByRole("button", { name: "Review" }).click()
    await dialog.getByText("Must be an integer of 32 bits").waitFor()
    await dialog.getByLabel("Rank").fill("2")
    await dialog.getByLabel("Notes for people (optional)").fill("asked by the auditors")
    await stamp(page, "Change MFA policy")
    await table("MFA policies").getByText("Session key of profile “signing”").waitFor()
    t.match(await row.innerText(), /activity.action == 'SIGN'\s+2/)
    await finish(t, "settings-filled")

    await chooseOf(row, "careful exports", "Delete")
    await stampGrave(page, "Delete MFA policy", "careful exports")
    await mfa.getByText("No MFA policy").waitFor()
    await mfa.getByRole("button", { name: "Remove root" }).click()
    await mfa.getByRole("combobox", { name: "User" }).fill("ali")
    await mfa.getByRole("option", { name: "alice" }).click()
    await mfa.getByText("No MFA policy").waitFor()
  })

  await t.test(
    "velocity controls are made, copied and deleted, and what is wrong stands beside it",
    async (t) => {
      await page.getByRole("button", { name: "Create control" }).click()
      await dialog.getByLabel("Name", { exact: true }).fill("Ether of a day")
      await dialog.getByLabel("Identifier").fill("9ether")
      await dialog.getByLabel("Assets whose transfers count").fill("eip155:1/slip44:60 18")
      await dialog.getByLabel("Calls whose amount is not known").selectOption("are refused")
      await dialog.getByLabel("Threshold").fill("1.5")
      await dialog
        .getByText("True while the sum is at most 1.5 in 1 day, for the organization together.")
        .waitFor()
      await page.getByRole("button", { name: "Review" }).click()
      await dialog.getByRole("button", { name: "Create control" }).click()
      await dialog.getByText(/cannot be read as controls/).waitFor()
      t.equal(await dialog.getByLabel("Identifier").getAttribute("aria-invalid"), "true")
      await dialog.getByLabel("Identifier").fill("ether_of_a_day")
      await stamp(page, "Create control")
      await table("Velocity controls").getByText("eip155:1/slip44:60; unknown amounts are refused").waitFor()
      await chooseOf(page, "Ether of a day", "Copy")
      await dialog.getByLabel("Assets whose transfers count").fill("")
      await dialog.getByLabel("Types of activities that count (optional)").fill("ACTIVITY_TYPE_CREATE_WALLET")
      await dialog.getByLabel("Number", { exact: true }).selectOption("Number of transfers or activities")
      await dialog.getByLabel("Window, seconds").fill("")
      await dialog.getByLabel("Counted for").selectOption("each user")
      await stamp(page, "Create control")
      const copy = table("Velocity controls").locator("tr").filter({ hasText: "Ether of a day 2" })
      t.match(
        await copy.innerText(),
        /controls\.ether_of_a_day_2\s+the number is at most 1\.5 for all time, for each user\s+activities by CREATE_WALLET/,
      )
      await chooseOf(copy, "Ether of a day 2", "Delete")
      await stampGrave(page, "Delete control", "Ether of a day 2")
      await copy.waitFor({ state: "detached" })
    },
  )

  await t.test("addresses of the organization, and of a single key", async (t) => {
    const addresses = section("IP allowlist")
    await addresses.getByRole("button", { name: "Change" }).click()
    await dialog.getByLabel("Blocks").fill("203.0.113.0/24 office\n10.0.0.0/8")
    await dialog.getByLabel("Enforce the list").uncheck()
    await page.getByRole("button", { name: "Review" }).click()
    await dialog.getByRole("button", { name: "Save list" }).click()
    await dialog.getByText(/is wider than \/20/).waitFor()
    await dialog.getByLabel("Blocks").fill("203.0.113.0/24 office")
    await stamp(page, "Save list")
    await table("IP allowlist").getByText("203.0.113.0/24").waitFor()

    await open("/people")
    await page.getByRole("link", { name: "alice" }).click()
    const keys = table("API keys and sessions").locator("tbody tr").first()
    await keys.getByText("as the organization").waitFor()
    const name = await keys.locator("b").innerText()
    await chooseOf(keys, name, "Change the addresses")
    await dialog.getByLabel("Blocks").fill("198.51.100.0/24 home")
    await stamp(page, "Save list")
    await keys.getByText("198.51.100.0/24").waitFor()
    await finish(t, "person-addresses")
    await chooseOf(keys, name, "Remove the addresses")
    await stampGrave(page, "Remove list", name)
    await keys.getByText("as the organization").waitFor()
    await open("/settings")
    await table("IP allowlist").getByText("203.0.113.0/24").waitFor()
  })

  await t.test(
    "C-1303: the export holds the signed document, which the page and OpenSSL verify",
    async (t) => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export the configuration" }).click(),
      ])
      await page.getByText("The signer of this browser’s pins signed it.").waitFor()
      const text = readFileSync((await file.path()) ?? "", "utf8")
      const exported = JSON.parse(text) as {
        notarizedDocument: string
        document: { organizationId: string; sessionProfiles: { name: string }[] }
        notSigned: object
      }
      t.equal(exported.document.organizationId, env["ORGANIZATION_ID"])
      t.match(exported.document.sessionProfiles, [{ name: "signing" }])
      t.match(Object.keys(exported.notSigned), ["get_auth_proxy_config", "list_email_templates"])
      const pins = (await (await fetch(`${env["BASE_URL"]}/public/v1/pins`)).json()) as {
        notarizerPublicKey: string
      }
      const notarized = Buffer.from(exported.notarizedDocument, "base64")
      t.ok(isSigned(notarized, pins.notarizerPublicKey))
      t.notOk(isSigned(altered(notarized), pins.notarizerPublicKey))
    },
  )

  await t.test("W12: an altered document is not taken for the signer's", async () => {
    await page.route("**/query/get_organization_document", async (route) => {
      const response = await route.fetch()
      const { notarizedDocumentB64, ...json } = (await response.json()) as { notarizedDocumentB64: string }
      const other = altered(Buffer.from(notarizedDocumentB64, "base64")).toString("base64")
      await route.fulfill({ response, json: { ...json, notarizedDocumentB64: other } })
    })
    await page.getByRole("button", { name: "Export the configuration" }).click()
    await page.getByText(/is not signed by the signer of this browser’s pins/).waitFor()
  })

  await t.test(
    "W11: a link to another organization than before is used only if its user says so",
    async (t) => {
      const tab = await page.context().newPage()
      const sent: string[] = []
      tab.on("request", (request) => sent.push(request.url().split("/").at(-1) ?? ""))
      const key = Buffer.alloc(32, 7).toString("hex")
      const linkTo = (organizationId: string) =>
        Buffer.from(organizationId.replaceAll("-", "") + key, "hex").toString("base64url")
      const theirs = "0198c0de-0000-7000-8000-000000000001"
      await tab.goto(`${url}/enter#${linkTo(theirs)}`)
      await tab.getByRole("heading", { name: "Another organization" }).waitFor()
      await tab.getByText(theirs).waitFor()
      t.notMatch(tab.url(), /#/)
      t.notOk(sent.includes("stamp_login"))
      await picture(tab, "foreign-link")
      t.same(await seriousFindings(tab), [])
      await tab.getByRole("button", { name: "Log in to the other organization" }).click()
      await tab.getByRole("heading", { name: "This link does not log in" }).waitFor()
      t.ok(sent.includes("stamp_login"))
      await tab.goto("about:blank")
      await tab.goto(`${url}/enter#${linkTo(env["ORGANIZATION_ID"] ?? "")}`)
      await tab.getByText("This link was used or has expired", { exact: false }).waitFor()
      await tab.close()
      await open("/settings")
      await page.getByRole("heading", { name: "Settings" }).waitFor()
    },
  )

  t.test("W10: the policy blocks nothing", async (t) => t.strictSame(complaints, []))
})

/** True if the notarizer of the pins signed the document, by docs/formats/document.md and Node's own cryptography. */
function isSigned(notarized: Buffer, notarizerPublicKey: string): boolean {
  const { document, signature } = fromBinary(NotarizedDocumentSchema, notarized)
  const message = Buffer.concat([Buffer.from("countersign/v1/organization-document\0"), document])
  const [x, y] = [132, 196].map((from) =>
    Buffer.from(notarizerPublicKey.slice(from, from + 64), "hex").toString("base64url"),
  ) as [string, string]
  const key = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" })
  return verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, signature)
}

/** The same with another letter in the organization's document. */
function altered(notarized: Buffer): Buffer {
  const at = notarized.indexOf("signing")
  const other = Buffer.from(notarized)
  other[at] = "x".charCodeAt(0)
  return other
}

/** The menu of a row with the keyboard alone: it opens, its items take turns, and Escape gives the focus back. */
async function menuByKeyboard(page: Page, t: Test, row: string): Promise<void> {
  const opener = page.getByRole("button", { name: `Actions for ${row}`, exact: true })
  await tabToElement(page, opener)
  await page.keyboard.press("Enter")
  await page.getByRole("menu").locator(":focus").waitFor()
  const names = []
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "Home", "End"]) {
    names.push(await focused(page))
    await page.keyboard.press(key)
  }
  t.strictSame(names, ["Change", "Delete", "Change", "Delete", "Change"])
  t.equal(await focused(page), "Delete")
  t.equal(await opener.getAttribute("aria-expanded"), "true")
  await page.keyboard.press("Escape")
  await page.getByRole("menu").waitFor({ state: "hidden" })
  t.equal(await focused(page), `Actions for ${row}`)
}
