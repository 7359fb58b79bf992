// Logins in the browser by a passkey and by an API key.
import type { Page, Request } from "playwright-core"
import type { Test } from "tap"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { finisher, opener, readLogin, stamp } from "./steps.ts"

/** The browser is logged in as root, to whom a passkey is added. Afterwards it is logged in by root's API key. */
export async function loginRuns(t: Test, { page, url, directory }: DashboardSystem): Promise<void> {
  const env = readEnvFile(directory)
  const finish = finisher(page)
  const open = opener(page, url)

  await t.test(
    "W158: a passkey logs in, and stamps each change itself; logging out ends a session at the server",
    async (t) => {
      const session = await page.context().newCDPSession(page)
      await session.send("WebAuthn.enable")
      const options = {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      } as const
      await session.send("WebAuthn.addVirtualAuthenticator", { options })
      await open("/people")
      await page.getByRole("link", { name: "root" }).click()
      await page.getByRole("button", { name: "Add a passkey" }).click()
      await page.getByLabel("Name").fill("Laptop")
      await stamp(page, "Add the passkey")
      await logsOut(t, page)
      t.equal(
        await page.getByText(env["ORGANIZATION_ID"] ?? "", { exact: false }).count(),
        0,
        "no id is shown",
      )
      await page.getByRole("radio", { name: /^Dev/ }).waitFor()
      await finish(t, "login")
      await page.getByRole("button", { name: "Log in with a passkey" }).click()
      await page.getByText("by passkey").waitFor()
      await open("/people")
      await page.getByRole("button", { name: "Create tag" }).click()
      await page.getByRole("dialog").getByLabel("Name").fill("treasury")
      await stamp(page, "Create tag")
      const kept = await page.evaluate(readLogin)
      t.strictSame(kept, { by: "passkey", hasKey: false, extractable: null })
    },
  )

  await t.test(
    "C-1822, W157: in a browser that knows nothing a passkey finds its organization",
    async (t) => {
      await page.getByRole("button", { name: "Log out" }).click()
      await page.getByText(/its read-only session, which no server keeps/).waitFor()
      await page.evaluate(() => localStorage.clear())
      await page.reload()
      await page.getByRole("heading", { name: "Log in" }).waitFor()
      t.equal(await page.getByRole("radio").count(), 0)
      const sent: string[] = []
      const note = (request: Request) => request.method() === "POST" && sent.push(request.postData() ?? "")
      page.on("request", note)
      await page.getByRole("button", { name: "Log in with a passkey" }).click()
      await page.getByText("by passkey").waitFor()
      page.off("request", note)
      const { type, organizationId } = JSON.parse(sent[0] ?? "{}") as { [member: string]: string }
      t.same([type, organizationId], ["ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION", env["ORGANIZATION_ID"]])
    },
  )

  await t.test("a login by API key keeps no key that can be read", async (t) => {
    await page.getByRole("button", { name: "Log out" }).click()
    await page.getByRole("heading", { name: "Log in" }).waitFor()
    await page.getByText("Log in with an API key").click()
    await page.getByLabel("Private key").fill("zz")
    await page.getByRole("button", { name: "Log in with this key" }).click()
    t.match(await page.getByRole("alert").innerText(), /Not a P-256 private key/)
    await page.getByRole("radio", { name: "Another organization" }).check()
    await page.getByLabel("Private key").fill(env["API_PRIVATE_KEY"] ?? "")
    await page.getByRole("button", { name: "Log in with this key" }).click()
    await page.getByText(/does not know the organization of this key/).waitFor()
    await page
      .getByLabel("Private key")
      .fill(`ORGANIZATION_ID=${env["ORGANIZATION_ID"]} API_PRIVATE_KEY=${env["API_PRIVATE_KEY"]}`)
    await page.getByRole("button", { name: "Log in with this key" }).click()
    await page.getByText("by this browser’s key").waitFor()
    await logsOut(t, page)
    await page.getByText("Log in with an API key").click()
    await page.getByLabel("Private key").fill(env["API_PRIVATE_KEY"] ?? "")
    await page.getByRole("button", { name: "Log in with this key" }).click()
    await page.getByText("by this browser’s key").waitFor()
    t.strictSame(await page.evaluate(readLogin), { by: "key", hasKey: true, extractable: false })
    const stored = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    )
    t.notOk(stored.includes(env["API_PRIVATE_KEY"] ?? ""))
  })
}

/** Logs out of a session of this browser's key, and sees that a copy of the key stamps nothing any more. */
async function logsOut(t: Test, page: Page): Promise<void> {
  const stamped = page.waitForRequest((request) => request.url().endsWith("/query/list_users"))
  await page.getByRole("button", { name: "Log out" }).click()
  const request = await stamped
  await page.getByText("The session has ended at the server too.").waitFor()
  const { "x-stamp": stamp = "" } = await request.allHeaders()
  const again = await fetch(request.url(), {
    method: "POST",
    headers: { "x-stamp": stamp },
    body: request.postData() ?? "",
  })
  t.equal(again.status, 401, "C-1823, W158: the same stamped query is refused after logging out")
}
