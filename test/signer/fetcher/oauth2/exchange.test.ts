// Requests to the providers of OAuth 2.0 logins, and what the fetcher reads from their replies.
import { randomBytes } from "node:crypto"
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import { encryptOauth2ClientSecret } from "@turnkey/crypto"
import t from "tap"
import { Oauth2Provider } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  FetchOrderSchema,
  Oauth2ExchangeTaskSchema,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { RequestFault } from "../../../../signer/fetcher/http-request.ts"
import { internet } from "../../../../signer/fetcher/network.ts"
import { askProvider, readAccessToken } from "../../../../signer/fetcher/oauth2/ask-provider.ts"
import { exchangeCode } from "../../../../signer/fetcher/oauth2/exchange.ts"
import { type ProviderApi, providerApi } from "../../../../signer/fetcher/oauth2/providers.ts"
import { newKeySet } from "../../../harness/fetcher.ts"
import { FakeOauth2Providers } from "../../../harness/oauth2-providers.ts"
import { webServer } from "../../../harness/web-server.ts"

const X = providerApi(Oauth2Provider.X)!
const DISCORD = providerApi(Oauth2Provider.DISCORD)!

t.test("an access token is a bearer token that fits into a header", async (t) => {
  const read = (reply: unknown) => readAccessToken(reply)
  const given = { token_type: "bearer", access_token: "a-B.9_~+/==" }
  t.equal(read(given), given.access_token)
  t.equal(read({ ...given, token_type: "Bearer" }), given.access_token)
  const wrong: unknown[] = [
    undefined,
    "abc",
    [],
    {},
    { access_token: "abc" },
    { ...given, token_type: "mac" },
    { ...given, token_type: 7 },
    { ...given, access_token: undefined },
    { ...given, access_token: 42 },
    { ...given, access_token: "" },
    { ...given, access_token: "a b" },
    { ...given, access_token: "a\r\nx: y" },
    { ...given, access_token: "a".repeat(4097) },
  ]
  for (const reply of wrong) t.equal(read(reply), undefined, JSON.stringify(reply))
})

t.test(
  "a user is named by a decimal number in text, and an address counts if Discord verified it",
  async (t) => {
    t.strictSame(X.readUser({ data: { id: "42" } }), { id: "42", email: undefined })
    t.strictSame(DISCORD.readUser({ id: "42" }), { id: "42", email: undefined })
    const none = ["0", "042", "-1", "4x", "x4", "1".repeat(21), "", 42, null, undefined, {}]
    for (const id of none) {
      t.equal(X.readUser({ data: { id } }), undefined, `X: ${JSON.stringify(id)}`)
      t.equal(DISCORD.readUser({ id }), undefined, `Discord: ${JSON.stringify(id)}`)
    }
    for (const reply of [undefined, null, "42", 42, ["42"]]) {
      t.equal(X.readUser(reply), undefined)
      t.equal(X.readUser({ data: reply }), undefined)
      t.equal(DISCORD.readUser(reply), undefined)
    }
    const email = "ann@example.com"
    const mail = (changes: object) => DISCORD.readUser({ id: "42", email, verified: true, ...changes })?.email
    t.equal(mail({}), email)
    for (const changes of [{ verified: false }, { verified: "true" }, { verified: undefined }])
      t.equal(mail(changes), undefined, JSON.stringify(changes))
    for (const wrong of ["ann", 42, null, undefined, { toString: 1 }])
      t.equal(mail({ email: wrong }), undefined)
  },
)

t.test(
  "a refusal names the provider, the status and the code of the standard, and no other text",
  async (t) => {
    let reply = { status: 200, body: "{}" }
    const server = await webServer((_request, response) => {
      response.writeHead(reply.status).end(reply.body)
    })
    t.teardown(() => server.close())
    const origin = { url: new URL(`http://127.0.0.1:${server.port}`), isLocal: true }
    const ask = (api: ProviderApi) =>
      askProvider({ api, origin, path: "/token", authorization: "Basic x", read: () => undefined }, internet)
    const said = async (status: number, body: string, api = X) => {
      reply = { status, body }
      const error: unknown = await ask(api).catch((fault: unknown) => fault)
      if (!(error instanceof Refusal)) throw new Error("it was not refused")
      return error
    }
    const settings = "the application may not use codes: correct its settings there"
    const codes = {
      invalid_request: "its request was malformed",
      invalid_client: "the client id or secret is wrong: correct the OAuth 2.0 credential",
      invalid_grant:
        "the code, its redirect URI or its verifier is wrong, or the code was used: log in there again",
      unauthorized_client: settings,
      unsupported_grant_type: settings,
    }
    for (const [error, remedy] of Object.entries(codes)) {
      const { code, message } = await said(400, JSON.stringify({ error, error_description: "s3cret" }))
      t.equal(code, "OAUTH2_REFUSED")
      t.equal(message, `X refuses the login with status 400: ${error}, ${remedy}`)
    }
    for (const body of ['{"error":"s3cret"}', "{}", "<html>", "[]", ""]) {
      const { message } = await said(401, body, DISCORD)
      t.equal(message, "Discord refuses the login with status 401: log in there again", body)
    }
    t.match(await said(200, "{}", DISCORD), {
      code: "OAUTH2_REFUSED",
      message: "Discord gives an answer that names no user: log in there again",
    })
    for (const status of [429, 500, 503])
      t.match(await said(status, '{"error":"invalid_grant"}'), {
        code: "OAUTH2_UNAVAILABLE",
        message: `X answers with status ${status}; send the same body again`,
      })
  },
)

t.test("a provider that cannot be reached is unavailable, with the cause for the log", async (t) => {
  const attempts = [
    ["http://127.0.0.1:1", true, "cannot be reached, or its answer was cut off", "unreachable"],
    ["http://127.0.0.1:1", false, "is not on https", "not-https"],
    ["https://127.0.0.1:1", false, "is at an address that is not public", "not-public"],
  ] as const
  for (const [url, isLocal, why, fault] of attempts) {
    const origin = { url: new URL(url), isLocal }
    const request = { api: X, origin, path: "/", authorization: "Basic x", read: () => undefined }
    const error: unknown = await askProvider(request, internet).catch((refusal: unknown) => refusal)
    t.match(error, { code: "OAUTH2_UNAVAILABLE", message: `X ${why}; send the same body again` })
    const { cause } = error as Error
    t.ok(cause instanceof RequestFault && cause.fault === fault, fault)
  }
})

t.test("an order that the fetcher cannot carry out asks no provider for a user", async (t) => {
  const providers = await FakeOauth2Providers.open()
  t.teardown(() => providers.close())
  const keySet = newKeySet()
  const [clientId, secret] = ["client", "s3cret"]
  providers.secrets.set(clientId, secret)
  const deps = { keySet, oauth2Origins: providers.origins, network: internet, random: randomBytes }
  const seal = async (text: string) =>
    Buffer.from(await encryptOauth2ClientSecret(text, keySet.publicHex.slice(0, 130)), "hex")
  const sealedSecret = await seal(secret)
  const organizationId = "0199cccc-0000-7000-8000-000000000001"
  const verifier = randomBytes(32).toString("base64url")
  const redirectUri = "https://app.example/done"
  const run = (changes: MessageInitShape<typeof Oauth2ExchangeTaskSchema>) => {
    const user = { data: { id: "42" } }
    const authCode = providers.authorize({ clientId, redirectUri, verifier, user })
    const usual = { provider: Oauth2Provider.X, clientId, redirectUri, codeVerifier: verifier, authCode }
    const task = create(Oauth2ExchangeTaskSchema, {
      ...usual,
      sealedSecret,
      ...(changes as object),
    })
    const order = create(FetchOrderSchema, { organizationId, issuedAtMs: 1_700_000_000_000n })
    return exchangeCode(order, task, deps)
  }
  t.match(await run({}), { case: "oauth2Exchanged", value: { oidcToken: /^eyJ/ } }, "the unaltered twin")
  const before = providers.asked.length
  const wrong: [what: string, code: string, changes: MessageInitShape<typeof Oauth2ExchangeTaskSchema>][] = [
    ["no provider", "CLIENT_SECRET_INVALID", { provider: Oauth2Provider.UNSPECIFIED }],
    ["no secret", "CLIENT_SECRET_INVALID", { sealedSecret: new Uint8Array(90) }],
    [
      "a secret with a broken binding",
      "CLIENT_SECRET_INVALID",
      { sealedSecret: await seal("countersign/v1/client-secret:nobody:s3cret") },
    ],
    [
      "another organization's secret",
      "CLIENT_SECRET_OF_ANOTHER_ORGANIZATION",
      {
        sealedSecret: await seal("countersign/v1/client-secret:0199cccc-0000-7000-8000-000000000002:s3cret"),
      },
    ],
  ]
  for (const [what, code, changes] of wrong) await t.rejects(run(changes), { code }, what)
  t.equal(providers.asked.length, before)
  const target = { bearerTokenTarget: new Uint8Array(33) }
  await t.rejects(run(target), { code: "OAUTH2_REFUSED" }, "an access token for no key")
})
