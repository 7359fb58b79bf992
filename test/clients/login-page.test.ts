// The page of `npm run example:login` in a real browser: the published kit signs up and logs in, and signs.
import { join } from "node:path"
import { verifyMessage } from "ethers"
import t, { type Test } from "tap"
import { buildPage } from "../../examples/pages/build.ts"
import { servePage } from "../../examples/pages/serve.ts"
import { Chromium, findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { freePort } from "../harness/free-port.ts"
import { casesOf, isLong } from "../harness/long.ts"
import { earlierKits } from "./earlier-kits.ts"
import { seriousFindings, startExample } from "./example-page.ts"
import { newestCode } from "./newest-code.ts"
import { toHex } from "./published.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { sharedDev } from "../services/cli/with-dev/shared-dev.ts"

const chromium = findChromium()
/** The page of the example and the earlier kits log in by the same operations. */
const LONG_ALONE = "bundles and runs React for most of a minute: npm run test:long"

t.test("the login example", { skip: chromium ? false : NO_CHROMIUM }, async (t) => {
  const { directory, issuerPort } = await sharedDev()
  const port = await freePort()
  const browser = await Chromium.launch(chromium ?? "")
  t.teardown(() => browser.close())
  const { NODE_ENV } = process.env
  // The bundler sets it when it builds a page.
  t.teardown(() => {
    if (NODE_ENV === undefined) delete process.env["NODE_ENV"]
  })
  const url = await startExample(t, "login", directory, {
    PORT: String(port),
    ISSUER_PORT: String(issuerPort),
  })
  const page = await browser.open(url)
  await page.addVirtualAuthenticator()
  const addresses = new Set<string>()

  /** Signature that the wallet shows after a message is signed; another library than the page's verifies it. */
  const signAndLogOut = async (t: Test, message: string) => {
    await page.until("shown('wallet')")
    await page.run("fill('#message', args[0]); click('#signing button')", message)
    await page.until("shown('signed')")
    const [address, organization, signature, verdict] = await page.run<[string, string, string, string]>(
      "return ['address', 'organization', 'signature', 'verdict'].map(text)",
    )
    t.equal(verdict, `✓ Verified here: signed by ${address}`)
    t.equal(verifyMessage(message, signature), address)
    await page.run("click('#close')")
    await page.until("shown('login') && shown('contact')")
    return { address, organization }
  }
  /** Does it twice: a sign-up and a login, of the same user. */
  const twice = async (t: Test, name: string, enter: () => Promise<void>) => {
    await enter()
    const first = await signAndLogOut(t, `first of ${name}`)
    await enter()
    t.same(await signAndLogOut(t, `second of ${name}`), first, "the same wallet")
    t.notOk(addresses.has(first.address), "a wallet of their own")
    addresses.add(first.address)
    t.not(first.organization, readEnvFile(directory)["ORGANIZATION_ID"])
  }

  await page.until("shown('contact')")
  t.strictSame(await seriousFindings(page), [])
  for (const contact of casesOf(1, ["bob+tag@example.com", "alice@example.com"]))
    await t.test(`a code to ${contact}`, async (t) => {
      await twice(t, contact, async () => {
        await page.run("fill('#email', args[0]); click('#contact button')", contact)
        await page.until("shown('code')")
        await page.run("fill('#digits', '000000'); click('#code .primary')")
        await page.until("text('fault').includes('Invalid OTP code')")
        await page.run(
          "fill('#digits', args[0]); click('#code .primary')",
          await newestCode(directory, contact),
        )
      })
    })

  await t.test("a code that was tried three times opens nothing, another one does", async (t) => {
    const contact = "carol@example.com"
    const enter = async (code: string) => {
      await page.run("fill('#digits', args[0]); await click('#code .primary')", code)
      await page.until("!document.querySelector('#code .primary').disabled")
    }
    await page.run("fill('#email', args[0]); click('#contact button')", contact)
    await page.until("shown('code')")
    for (const code of ["000000", "000000", "000000", await newestCode(directory, contact)]) {
      await enter(code)
      t.match(await page.run("return text('fault')"), /Invalid OTP code$/, "a sentence, without details")
    }
    await page.run("await click('#another-code')")
    await page.until("!document.querySelector('#another-code').disabled")
    await enter(await newestCode(directory, contact))
    await signAndLogOut(t, "with another code")
  })

  await t.test("a passkey", async (t) => {
    const buttons = ["#create-passkey", "#use-passkey"]
    await twice(t, "a passkey", async () => page.run("click(args[0])", buttons.shift()))
  })

  for (const name of casesOf(1, ["carol", "dan"]))
    await t.test(`${name} at the local issuer`, async (t) => {
      await twice(t, name, async () => {
        await page.run("click('#use-issuer')")
        await page.until("document.title === 'Local issuer'")
        await page.run("fill('#name', args[0]); click('button')", name)
      })
    })

  const skip = isLong ? false : LONG_ALONE
  await t.test("the kit for React, by a code and by a passkey in its own window", { skip }, async (t) => {
    const values = readEnvFile(directory)
    const kitPort = await freePort()
    const built = await buildPage(join(directory, "pins.json"), join(import.meta.dirname, "wallet-kit"))
    const server = await servePage(kitPort, built, {
      apiUrl: values["BASE_URL"] ?? "",
      authProxyUrl: values["AUTH_PROXY_URL"] ?? "",
      authProxyConfigId: values["AUTH_PROXY_CONFIG_ID"] ?? "",
      organizationId: values["ORGANIZATION_ID"] ?? "",
      issuer: "",
    })
    t.teardown(() => server.closeAllConnections())
    t.teardown(() => server.close())
    const kit = await browser.open(`http://localhost:${kitPort}`)
    await kit.addVirtualAuthenticator()
    await kit.until("text('state') === 'ready unauthenticated'")
    /** The address of whoever has logged in, after a signature that another library verifies. */
    const signAndLogOut = async (message: string) => {
      await kit.until("text('state') === 'ready authenticated' && text('address') !== ''")
      const address = await kit.run<string>("return text('address')")
      const signed = await kit.run<{ r: string; s: string; v: string }>("return sign(args[0])", message)
      t.equal(verifyMessage(message, toHex(signed)), address)
      await kit.run("click('#log-out')")
      await kit.until("text('state') === 'ready unauthenticated'")
      // The kit's window does not always open again in the page that has logged out: each login begins with a new page.
      await kit.run("setTimeout(() => location.reload(), 0)")
      return address
    }
    /** Opens the kit's window. A click that comes while it still closes after a logout opens none: people click again. */
    const openWindow = async (element: string) => {
      await kit.until(
        `document.querySelector("${element}") || (performance.now() > (window.again ?? 0) && ` +
          "(window.again = performance.now() + 5000, click('#log-in'), false))",
      )
    }
    const byCode = async (contact: string) => {
      await openWindow("[data-testid=email-input]")
      await kit.run("fill('[data-testid=email-input]', args[0])", contact)
      await kit.run("click('[data-testid=email-continue-icon]')")
      await kit.until("document.querySelector('input[maxlength=\"1\"]')")
      const code = await newestCode(directory, contact)
      await kit.run(
        "const data = new DataTransfer(); data.setData('text', args[0]); document.querySelector('input[maxlength=\"1\"]')" +
          ".dispatchEvent(new ClipboardEvent('paste', { bubbles: true, clipboardData: data }))",
        code,
      )
      return signAndLogOut(`by ${contact}`)
    }
    const first = await byCode("erin@example.com")
    t.equal(await byCode("erin@example.com"), first, "the same wallet")
    t.notOk(addresses.has(first))
    const byPasskey = async (button: string) => {
      const element = `[data-testid=${button}], [name=${button}]`
      await openWindow(element)
      await kit.run("click(args[0])", element)
      return signAndLogOut(button)
    }
    const passkeys = await byPasskey("passkey-signup-button")
    t.equal(await byPasskey("passkey-login-button"), passkeys, "the same wallet")
    t.not(passkeys, first)
  })

  await t.test("@turnkey/core 1.14.1 and 2.5.0, by codes in mails and text messages", { skip }, async (t) => {
    await earlierKits(t, { browser, directory })
  })

  await t.test("a token that this page did not ask for opens nothing", async (t) => {
    const forged = `${url}/#id_token=eyJhbGciOiJub25lIn0.eyJzdWIiOiJjYXJvbCJ9.&state=any`
    await page.run("location.assign(args[0]); location.reload()", forged)
    await page.until("shown('fault') && shown('contact')")
    t.match(await page.run("return text('fault')"), /not begun here/)
  })
})
