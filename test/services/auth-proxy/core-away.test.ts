// Faults of the core API, and of what it depends on, as callers of the auth proxy see them; and bodies that are not read.
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import t, { type Test } from "tap"
import { proxyPaths } from "../../../proto/proxy-operations.ts"
import { CoreApi, coreUnavailable } from "../../../services/auth-proxy/core-api.ts"
import { sendLongBody } from "../../harness/long-body.ts"
import { completed, MAIL_TOKEN, ok, OTP_ID, publicKeyHex, SUB, token } from "./login-replies.ts"
import { type Json, startProxy } from "./start-proxy.ts"
import { StubCore } from "./stub-core.ts"

const SIGNER_AWAY = {
  status: 503,
  text: JSON.stringify({ code: 14, message: "the signer cannot be reached now; try again", details: [] }),
}

const ID_TOKEN = token({ iss: "https://accounts.google.com", sub: "1", aud: "app" })

const SIGNATURE = {
  publicKey: publicKeyHex,
  scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
  message: "{}",
  signature: "00".repeat(64),
}

/** A body of each operation that asks the core API for more than the configuration. */
const ASKING: { readonly [operation: string]: object } = {
  account: { filterType: "NAME", filterValue: "x" },
  signup: { userName: "ann" },
  signup_v2: { userName: "ann" },
  otp_init: { otpType: "OTP_TYPE_EMAIL", contact: "ann@example.com" },
  otp_init_v2: { otpType: "OTP_TYPE_EMAIL", contact: "ann@example.com" },
  otp_verify: { otpId: OTP_ID, otpCode: "ABC123" },
  otp_verify_v2: { otpId: OTP_ID, encryptedOtpBundle: "{}" },
  otp_login: { verificationToken: MAIL_TOKEN, publicKey: publicKeyHex },
  otp_login_v2: { verificationToken: MAIL_TOKEN, publicKey: publicKeyHex, clientSignature: SIGNATURE },
  oauth_login: { oidcToken: ID_TOKEN, publicKey: publicKeyHex },
  oauth2_authenticate: {
    provider: "OAUTH2_PROVIDER_X",
    clientId: "c",
    authCode: "code",
    redirectUri: "https://a.example",
    codeVerifier: "v".repeat(43),
    nonce: "a".repeat(64),
  },
  wallet_kit_config: {},
}

const AWAY = Object.assign(new Error("the core API cannot be reached now; try again"), {
  status: 503,
  reason: "CORE_API_UNAVAILABLE",
})

const settings = { allowedAuthMethods: ["email", "sms", "google", "x"] }

function requireAway(
  t: Test,
  { status, headers, json }: { status: number; headers: Headers; json: Json },
  name: string,
) {
  t.equal(status, 503, name)
  t.equal(headers.get("retry-after"), "1", name)
  t.equal(json["code"], 14, name)
}

t.test(
  "W33: every operation answers 503 with Retry-After while the configuration cannot be read",
  async (t) => {
    for (const [fault, relay] of [
      ["the signer or the database is down", () => SIGNER_AWAY],
      [
        "the API is down",
        () => {
          throw coreUnavailable(new Error("refused"))
        },
      ],
    ] as const) {
      const core = Object.assign(new StubCore(), { relay })
      const { post } = await startProxy(t, { core })
      for (const operation of proxyPaths.keys())
        requireAway(t, await post(operation), `${operation}, ${fault}`)
    }
  },
)

t.test(
  "W33: every operation answers 503 with Retry-After while its own request cannot be served",
  async (t) => {
    const core = Object.assign(new StubCore(), { settings })
    const { post } = await startProxy(t, { core })
    const idle = [...proxyPaths.keys()].filter((operation) => ASKING[operation] === undefined)
    t.same(idle, ["wallet_kit_client_params"], "operations that ask for the configuration alone")
    const answers = [
      ["the signer or the database is down", SIGNER_AWAY],
      ["a reply without members", ok({})],
      ["an activity that is none", ok({ activity: null })],
      ["an activity without result", completed({})],
    ] as const
    for (const [operation, body] of Object.entries(ASKING))
      for (const [fault, answer] of answers) {
        core.replies.push(answer)
        requireAway(t, await post(operation, { organizationId: SUB, ...body }), `${operation}, ${fault}`)
        t.equal(core.replies.length, 0, `${operation} asked the core API`)
      }
  },
)

t.test("W33: an API that is away, or answers as another program, is 503", async (t) => {
  const server = createServer((_request, response) =>
    response.writeHead(502, { "Content-Type": "text/html" }).end(bodies.shift()),
  )
  const bodies = ["<html>Bad gateway</html>", "null", '"text"', "[]", "{"]
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const api = new CoreApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  while (bodies.length > 0) await t.rejects(api.get("/"), AWAY)
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  await t.rejects(api.post("/", "{}", ""), AWAY)
})

t.test("W32: nothing is read of a long body whose headers name no configuration", async (t) => {
  const { url, core } = await startProxy(t)
  const port = Number(new URL(url).port)
  const head = (...headers: string[]) =>
    `${["POST /v1/account HTTP/1.1", "Host: localhost", ...headers].join("\r\n")}\r\n`
  const id = "X-Auth-Proxy-Config-Id"
  for (const [headers, status] of [
    [[], 400],
    [[`${id}: `], 400],
    [[`${id}: no-uuid`], 404],
    [[`${id}: ${OTP_ID}`], 404],
    [[`${id}: ${core.configId}`, "Origin: https://elsewhere.example"], 403],
  ] as const) {
    if (status === 403) core.settings = { allowedOrigins: ["https://login.example"] }
    const { text, bytesRead } = await sendLongBody(port, head(...headers))
    t.ok(text.startsWith(`HTTP/1.1 ${status} `), `${headers.join()}: ${text.slice(0, 20)}`)
    t.match(text, /connection: close/i, headers.join())
    t.ok(bytesRead < 256 * 1024, `${headers.join()}: ${bytesRead}`)
  }
})
