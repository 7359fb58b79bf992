// Earlier major versions of the published kit, in a browser: codes by mail and by text message, a sign-up and a login each.
import { join } from "node:path"
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import type { Test } from "tap"
import { buildPage } from "../../examples/pages/build.ts"
import { servePage } from "../../examples/pages/serve.ts"
import type { Chromium } from "../harness/chromium.ts"
import { freePort } from "../harness/free-port.ts"
import { casesOf } from "../harness/long.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { clientOf } from "./dev-client.ts"
import { newestCode } from "./newest-code.ts"

/** The first version sends codes in clear and pins no key of the service: its packages stay as they were published. */
const KITS = [
  { version: "1.14.1", folder: "v1", isPinned: false },
  { version: "2.5.0", folder: "v2", isPinned: true },
]

const CONTACTS = [
  { otpType: "OTP_TYPE_EMAIL", contactOf: (name: string) => `${name}@example.com` },
  { otpType: "OTP_TYPE_SMS", contactOf: (name: string) => `+1555010${name === "v1" ? "1" : "2"}000` },
]

/** The user who logged in, as the page says. */
type Entered = { action: string; userId: string; contact: string; organizationId: string }

/** By a stamp alone: the published client knows no operation of the auth proxy's settings. */
async function allowMethods(values: NodeJS.Dict<string>, allowedAuthMethods: string[]): Promise<void> {
  const { BASE_URL, API_PUBLIC_KEY = "", API_PRIVATE_KEY = "", ORGANIZATION_ID: organizationId } = values
  const body = JSON.stringify({
    type: "ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { allowedAuthMethods },
  })
  const stamper = new ApiKeyStamper({ apiPublicKey: API_PUBLIC_KEY, apiPrivateKey: API_PRIVATE_KEY })
  const { stampHeaderName, stampHeaderValue } = await stamper.stamp(body)
  const headers = { [stampHeaderName]: stampHeaderValue }
  const url = `${BASE_URL}/public/v1/submit/update_auth_proxy_config`
  const reply = await fetch(url, { method: "POST", body, headers })
  if (!reply.ok) throw new Error(`the settings were not changed: ${await reply.text()}`)
}

/** Runs the earlier kits against a development system. */
export async function earlierKits(
  t: Test,
  { browser, directory }: { browser: Chromium; directory: string },
): Promise<void> {
  const values = readEnvFile(directory)
  const root = clientOf(values)
  for (const name of ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"] as const)
    await root.setOrganizationFeature({ name, value: "" })
  await allowMethods(values, ["email", "sms", "passkey", "wallet", "oidc"])
  for (const { version, folder, isPinned } of casesOf(1, KITS)) {
    const pinsFile = isPinned ? join(directory, "pins.json") : undefined
    const built = await buildPage(pinsFile, join(import.meta.dirname, "earlier-kits", folder))
    const port = await freePort()
    const server = await servePage(port, built, {
      apiUrl: values["BASE_URL"] ?? "",
      authProxyUrl: values["AUTH_PROXY_URL"] ?? "",
      authProxyConfigId: values["AUTH_PROXY_CONFIG_ID"] ?? "",
      organizationId: values["ORGANIZATION_ID"] ?? "",
    })
    t.teardown(() => server.closeAllConnections())
    t.teardown(() => server.close())
    const page = await browser.open(`http://localhost:${port}`)
    await page.until("text('state') === 'ready'")
    for (const { otpType, contactOf } of CONTACTS) {
      const contact = contactOf(folder)
      const enter = async () => {
        await page.run("return begin(args[0], args[1])", otpType, contact)
        const code = await newestCode(directory, contact)
        return page.run<Entered>("return complete(args[0], args[1], args[2])", otpType, contact, code)
      }
      const first = await enter()
      t.match(first, { action: "SIGNUP", contact }, `${version}, ${otpType}`)
      t.not(first.organizationId, values["ORGANIZATION_ID"])
      t.same(await enter(), { ...first, action: "LOGIN" })
    }
  }
}
