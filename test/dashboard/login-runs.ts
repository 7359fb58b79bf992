// Logins in the browser by a passkey and by an API key.
import type { Test } from "tap"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { finisher, opener, readLogin, stamp } from "./steps.ts"

/** The browser is logged in as root, to whom a passkey is added. Afterwards it is logged in by root's API key. */
export async function loginRuns(t: Test, { page, url, directory }: DashboardSystem): Promise<void> {
  const env = readEnvFile(directory)
  const finish = finisher(page)
  const open = opener(page, url)

  await t.test("a passkey logs in, and stamps each change itself", async (t) => {
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
    await page.getByRole("button", { name: "Log out" }).click()
    await page.getByLabel("Organization id").fill(env["ORGANIZATION_ID"] ?? "")
    await page.getByRole("button", { name: "Log in with a passkey" }).click()
    await page.getByText("by passkey").waitFor()
    await open("/people")
    await page.getByRole("button", { name: "Create tag" }).click()
    await page.getByRole("dialog").getByLabel("Name").fill("treasury")
    await stamp(page, "Create tag")
    const kept = await page.evaluate(readLogin)
    t.strictSame(kept, { by: "passkey", hasKey: false, extractable: null })
  })

  await t.test("a login by API key keeps no key that can be read", async (t) => {
    await page.getByRole("button", { name: "Log out" }).click()
    await page.getByRole("heading", { name: "Log in" }).waitFor()
    await page.getByLabel("Organization id").fill(env["ORGANIZATION_ID"] ?? "")
    await page.getByText("Log in with an API key").click()
    await page.getByLabel("Private key").fill("zz")
    await page.getByRole("button", { name: "Log in with this key" }).click()
    t.match(await page.getByRole("alert").innerText(), /not a P-256 private key/)
    await finish(t, "login")
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
