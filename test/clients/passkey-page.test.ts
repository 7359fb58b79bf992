// The page of `npm run example:passkey` in a real browser with a virtual authenticator: the published packages create a
// passkey and stamp with it.
import { verifyMessage } from "ethers"
import t from "tap"
import { Chromium, findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { freePort } from "../harness/free-port.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { devOrganization } from "../services/cli/with-dev/shared-dev.ts"
import { clientOf } from "./dev-client.ts"
import { seriousFindings, startExample } from "./example-page.ts"

const chromium = findChromium()

t.test("the passkey example", { skip: chromium ? false : NO_CHROMIUM }, async (t) => {
  const [browser, { directory }] = await Promise.all([Chromium.launch(chromium ?? ""), devOrganization(t)])
  t.teardown(() => browser.close())
  const url = await startExample(t, "passkey", directory, { PORT: String(await freePort()) })
  const page = await browser.open(url)
  await page.addVirtualAuthenticator()
  await page.until("shown('enter')")
  t.strictSame(await seriousFindings(page), [])

  /** Signature that the wallet shows after a message is signed; another library than the page's verifies it. */
  const sign = async (message: string) => {
    await page.until("shown('wallet') || shown('fault')")
    await page.run("fill('#message', args[0]); click('#signing button')", message)
    await page.until("shown('signed') || shown('fault')")
    const [address, organization, signature, verdict] = await page.run<[string, string, string, string]>(
      "return ['address', 'organization', 'signature', 'verdict'].map(text)",
    )
    t.equal(verdict, `✓ Verified here: signed by ${address}`, await page.run<string>("return text('fault')"))
    t.equal(verifyMessage(message, signature), address)
    return { address, organization }
  }
  const close = async () => {
    await page.run("click('#close')")
    await page.until("shown('enter')")
  }

  await page.run("click('#create-passkey')")
  const first = await sign("first")
  t.strictSame(await seriousFindings(page), [])
  await close()
  await page.run("click('#use-passkey')")
  t.same(await sign("second"), first, "the same wallet, found by the passkey alone")
  await close()

  await t.test("the user's only credential is the passkey, which stamped what was signed", async (t) => {
    const company = clientOf(readEnvFile(directory))
    const { users } = await company.getUsers({ organizationId: first.organization })
    t.match(users, [{ userName: "customer", apiKeys: [], oauthProviders: [] }])
    t.equal(users.length, 1)
    t.equal(users[0]?.authenticators.length, 1)
    const { activities } = await company.getActivities({
      organizationId: first.organization,
      filterByType: ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"],
    })
    t.strictSame(
      activities.map(({ votes }) => votes.map(({ scheme }) => scheme)),
      [["SIGNATURE_SCHEME_TK_WEBAUTHN"], ["SIGNATURE_SCHEME_TK_WEBAUTHN"]],
    )
  })

  await t.test("another passkey has another wallet", async (t) => {
    await page.run("click('#create-passkey')")
    const second = await sign("third")
    t.not(second.address, first.address)
    t.not(second.organization, first.organization)
  })

  await t.test(
    "C-1894: a signing that fails leaves no earlier signature, and says the next step",
    async (t) => {
      await page.until("shown('signed')")
      await page.run(`navigator.credentials.get = async () => { throw new DOMException("See: the standard", "NotAllowedError") }
      fill('#message', 'never signed'); click('#signing button')`)
      await page.until("shown('fault')")
      t.notOk(await page.run("return shown('signed')"), "the verified signature was of another message")
      t.match(await page.run("return text('fault')"), /^✗ No passkey was used.*create a passkey\.$/)
    },
  )

  await t.test("C-1894: a passkey that the service does not know leads to a new one", async (t) => {
    const other = await browser.open(url)
    await other.addVirtualAuthenticator()
    await other.until("shown('enter')")
    await other.run(`await navigator.credentials.create({ publicKey: {
      rp: { id: location.hostname, name: "another" },
      user: { id: new Uint8Array(16), name: "another", displayName: "another" },
      challenge: new Uint8Array(32),
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      authenticatorSelection: { residentKey: "required" },
    } }); click('#use-passkey')`)
    await other.until("shown('fault')")
    t.match(await other.run("return text('fault')"), /does not know this passkey.*create a passkey\.$/)
  })

  await t.test("a sign-up that another site sends is refused", async (t) => {
    const reply = await fetch(`${url}/sign-up`, {
      method: "POST",
      headers: { "content-type": "text/plain", origin: "https://other.example" },
      body: "{}",
    })
    t.equal(reply.status, 415)
  })

  await t.test("a passkey that the signer cannot verify is refused with its reason", async (t) => {
    const attestation = {
      credentialId: "AAAA",
      clientDataJson: "AAAA",
      attestationObject: "AAAA",
      transports: [],
    }
    const reply = await fetch(`${url}/sign-up`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ challenge: "AAAA", attestation }),
    })
    t.equal(reply.status, 400)
    t.match(await reply.json(), { message: /attestation/ })
  })
})
