// The pages of the examples, in each of their states.
import type { Page } from "playwright-core"
import type { Test } from "tap"
import { startExample } from "../clients/example-page.ts"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { freePort } from "../harness/free-port.ts"
import type { Shown } from "./look.ts"

/** @param issuerPort port of the login example's issuer, which the fetcher of the system accepts */
export async function examplePages(
  t: Test,
  { context, directory }: DashboardSystem,
  issuerPort: number,
): Promise<Shown[]> {
  const [passkey, login] = await Promise.all([
    startExample(t, "passkey", directory, { PORT: String(await freePort()) }),
    startExample(t, "login", directory, { PORT: String(await freePort()), ISSUER_PORT: String(issuerPort) }),
  ])
  const page = await context.newPage()
  await addAuthenticator(page)
  const press = (name: string) => page.getByRole("button", { name }).click()
  const state = (name: string, url: string, act: () => Promise<void>): Shown => ({
    name: `example-${name}`,
    open: async () => {
      await page.goto(url)
      await act()
      return page
    },
  })
  return [
    state("passkey", passkey, () => page.getByRole("heading", { name: "Passkey" }).waitFor()),
    state("passkey-signed", passkey, async () => {
      await press("Create passkey")
      await press("Sign message")
      await page.getByText("Verified here").waitFor()
    }),
    state("login", login, () => page.getByRole("heading", { name: "Log in" }).waitFor()),
    state("login-code", login, async () => {
      await page.getByLabel("E-mail").fill("carol@example.com")
      await press("Send code")
      await page.getByLabel("Code").fill("000000")
      await page.locator("#code .primary").click()
      await page.getByRole("alert").waitFor()
    }),
    state("issuer", login, async () => {
      await press("Log in with local issuer")
      await page.getByRole("heading", { name: "Local issuer" }).waitFor()
    }),
    state("login-wallet", login, async () => {
      await press("Log in with local issuer")
      await page.getByLabel("Name").fill("carol")
      await press("Log in")
      await page.getByRole("heading", { name: "Wallet" }).waitFor()
    }),
  ]
}

async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send("WebAuthn.enable")
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
