// The page System: readiness, the deployment, its certificates and queues, and the pins of this browser.
import type { Test } from "tap"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { explains, finisher, opener } from "./steps.ts"

/** Runs on a system in which one activity waits for votes. */
export async function systemRuns(t: Test, { page, url }: DashboardSystem): Promise<void> {
  const open = opener(page, url)
  const finish = finisher(page)

  await t.test("system says what this browser trusts", async (t) => {
    await open("/system")
    await page.getByText("The host of this page gave these pins").waitFor()
    await page.getByText(/^[0-9a-f]{64}$/).waitFor()
    const proxy = page.getByLabel("Readiness of the auth proxy")
    await proxy.getByText("Served", { exact: true }).waitFor()
    t.match(await proxy.innerText(), /API\s+Ready\s+Pairing with the signer\s+Ready/)
    await explains(page, proxy, "Served", "Everything that requests need is ready.")
    const queues = page.locator("section", {
      has: page.getByRole("heading", { name: "Queues" }),
    })
    await queues.getByRole("link", { name: "1", exact: true }).waitFor()
    // Each number is a query of its own.
    await queues.getByRole("link", { name: "0", exact: true }).nth(1).waitFor()
    t.match(
      await queues.innerText(),
      /wait for votes\s+1\s+Notifications to be delivered\s+0\s+Dead notifications\s+0/,
    )
    const deployment = page.locator("section", { has: page.getByRole("heading", { name: "Deployment" }) })
    t.match(
      await deployment.innerText(),
      /Seal epoch\s+1, the first[^]*Callers to API\s+plain HTTP, no certificate[^]*API to signer\s+a socket/,
    )
    t.match(
      await queues.innerText(),
      /Worker, for all organizations\s+Notifications of webhooks\s+none waits/,
    )
    await finish(t, "system")
  })

  await t.test("certificates are marked by the days that they have left", async (t) => {
    const certificates = [
      ["API", 40],
      ["SIGNER", 12],
    ].map(([holder, daysLeft]) => ({
      holder,
      subject: `${holder}.internal`,
      issuer: "Operators",
      expiresAt: { seconds: "1800000000", nanos: "0" },
      daysLeft,
    }))
    const [first] = certificates
    const links = [
      { peer: "SIGNER", transport: "MUTUAL_TLS", certificates },
      { peer: "FETCHER", transport: "MUTUAL_TLS", certificates: [{ ...first, daysLeft: 3 }] },
    ]
    await page.route("**/query/get_deployment_state", (route) =>
      route.fulfill({
        json: { sealEpoch: 2, links, queues: [] },
        headers: { "access-control-allow-origin": "*" },
      }),
    )
    await open("/system")
    const rows = page.getByRole("table", { name: "Certificates" }).locator("tbody tr")
    await rows.nth(2).waitFor()
    t.match(await rows.allInnerTexts(), [
      /^API to Signer\s+API\.internal\s+Operators[^]*40 days left$/,
      /^Signer to API[^]*12 days left: renew it soon$/,
      /^API to Fetcher[^]*3 days left: renew it now$/,
    ])
    const tones = await rows
      .locator(".badge")
      .evaluateAll((badges) => badges.map(({ className }) => className))
    t.strictSame(tones, ["badge explained good", "badge explained warn", "badge explained bad"])
    await explains(page, rows.nth(1), /^12 days left/, "Renew it in the coming days.")
    await finish(t, "system-certificates")
    await page.unroute("**/query/get_deployment_state")
  })
}
