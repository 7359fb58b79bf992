// Passkeys as people use them: a real browser, its authenticator, the published client, the whole system.
import t from "tap"
import { wallet } from "../e2e/wallets.ts"
import { signParams } from "../harness/api-client.ts"
import { Chromium, findChromium, NO_CHROMIUM } from "../harness/chromium.ts"
import { serveModules } from "../harness/module-server.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import type { Json } from "../harness/system.ts"

const chromium = findChromium()

/** Runs in the page: the published client makes a passkey. */
const MAKE_PASSKEY = `
  const { getWebAuthnAttestation } = await import("/node_modules/@turnkey/http/dist/webauthn.mjs")
  const [challenge, attestation] = args
  const bytes = Uint8Array.from(atob(challenge.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))
  return getWebAuthnAttestation({
    publicKey: {
      rp: { id: "localhost", name: "Countersign" },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name: "alice", displayName: "Alice" },
      challenge: bytes,
      pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -257 }],
      authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
      attestation,
    },
  })`

/** Runs in the page: the published client stamps a body, and the page sends it itself. */
const STAMP_AND_SEND = `
  const { WebauthnStamper } = await import("@turnkey/webauthn-stamper")
  const [url, body, rpId] = args
  const { stampHeaderName, stampHeaderValue } = await new WebauthnStamper({ rpId }).stamp(body)
  const headers = { "content-type": "application/json", [stampHeaderName]: stampHeaderValue }
  const reply = await fetch(url, { method: "POST", headers, body })
  return { status: reply.status, json: await reply.json() }`

t.test(
  "a passkey of a real browser registers and stamps",
  { skip: chromium ? false : NO_CHROMIUM },
  async (t) => {
    const [system, pages, browser] = await Promise.all([
      sharedSystem(),
      serveModules(),
      Chromium.launch(chromium ?? ""),
    ])
    t.teardown(async () => {
      await browser.close()
      await pages.close()
    })
    const created = await system.createOrganization()
    const { organizationId, root, rootUserId: userId } = created
    const address = await wallet(system, created, "First")
    const page = await browser.open(pages.url)
    await page.addVirtualAuthenticator()

    const register = async (conveyance: string) => {
      const challenge = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
      const attestation = await page.run<Json>(MAKE_PASSKEY, challenge, conveyance)
      const authenticators = [{ authenticatorName: conveyance, challenge, attestation }]
      const body = system.body("CREATE_AUTHENTICATORS_V2", organizationId, { userId, authenticators })
      const { result } = await system.submit("create_authenticators", body, root)
      const { authenticatorIds } = (result as { createAuthenticatorsResult: { authenticatorIds: [string] } })
        .createAuthenticatorsResult
      const shown = await system.query(
        "get_authenticator",
        { organizationId, authenticatorId: authenticatorIds[0] },
        root,
      )
      return shown.json["authenticator"] as Json
    }
    const stampAndSend = (path: string, body: string) =>
      page.run<{ status: number; json: Json }>(
        STAMP_AND_SEND,
        `${system.url}/public/v1/${path}`,
        body,
        "localhost",
      )

    t.match(await register("none"), {
      attestationType: "none",
      transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"],
    })
    t.match(await register("direct"), { attestationType: "packed" }, "a statement that is verified")

    await t.test("a submit", async (t) => {
      const body = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
      const { status, json } = await stampAndSend("submit/sign_raw_payload", body)
      t.equal(status, 200, JSON.stringify(json["message"]))
      const { votes, status: reached } = json["activity"] as { votes: Json[]; status: string }
      t.equal(reached, "ACTIVITY_STATUS_COMPLETED")
      t.match(votes, [{ userId, scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN", message: body }])
    })

    await t.test("a query", async (t) => {
      const whoami = await stampAndSend("query/whoami", JSON.stringify({ organizationId }))
      t.match(whoami, { status: 200, json: { organizationId, userId, username: "root" } })
    })

    await t.test("a login, whose session stamps from then on", async (t) => {
      const session = newKey()
      const body = system.body("STAMP_LOGIN", organizationId, { publicKey: session.publicKeyHex })
      t.match(await stampAndSend("submit/stamp_login", body), { status: 200 })
      const whoami = await system.query("whoami", { organizationId }, session)
      t.match(whoami, { status: 200, json: { userId } })
    })

    await t.test("no request on a page of another origin, once origins are set", async (t) => {
      const feature = (value: string) =>
        system.submit(
          "set_organization_feature",
          system.body("SET_ORGANIZATION_FEATURE", organizationId, {
            name: "FEATURE_NAME_WEBAUTHN_ORIGINS",
            value,
          }),
          root,
        )
      const body = () =>
        system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address, "11".repeat(32)))
      await feature("https://app.example.com")
      t.match(await stampAndSend("submit/sign_raw_payload", body()), {
        status: 401,
        json: { message: /origin/ },
      })
      t.match(await stampAndSend("query/whoami", JSON.stringify({ organizationId })), { status: 401 })
      await feature(`https://app.example.com,${pages.url}`)
      t.match(await stampAndSend("submit/sign_raw_payload", body()), { status: 200 })
      t.match(await stampAndSend("query/whoami", JSON.stringify({ organizationId })), { status: 200 })
    })
  },
)
