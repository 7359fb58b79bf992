import t from "tap"
import { proxyOwnKey } from "../../harness/auth-proxy.ts"
import { startProxy } from "./start-proxy.ts"

const ok = (members: object) => ({ status: 200, text: JSON.stringify(members) })
const completed = (result: object, others: object = {}) =>
  ok({ activity: { status: "ACTIVITY_STATUS_COMPLETED", result, ...others } })

t.test("wallet_kit_config shows the settings with their defaults, with and without a body", async (t) => {
  const { post, core, clock } = await startProxy(t)
  const defaults = {
    enabledProviders: ["email", "passkey", "wallet"],
    sessionExpirationSeconds: "900",
    organizationId: core.organizationId,
    oauthClientIds: {},
    otpAlphanumeric: true,
    otpLength: "6",
  }
  for (const body of ["", "{}", `{"later":1}`]) t.same((await post("wallet_kit_config", body)).json, defaults)
  core.settings = {
    allowedAuthMethods: ["sms", "wallet", "x"],
    walletKitSettings: {
      enabledSocialProviders: ["google"],
      oauthClientIds: { google: "1" },
      oauthRedirectUrl: "https://app.example/done",
    },
    sessionExpirationSeconds: 1800,
    otpAlphanumeric: false,
    otpLength: 8,
  }
  core.version += 1n
  clock.ms += 2000
  core.replies.push(ok({ oauth2Credentials: [{ provider: "OAUTH2_PROVIDER_X", clientId: "c" }] }))
  t.same((await post("wallet_kit_config")).json, {
    enabledProviders: ["google", "x", "sms", "wallet"],
    sessionExpirationSeconds: "1800",
    organizationId: core.organizationId,
    oauthClientIds: { google: "1" },
    oauthRedirectUrl: "https://app.example/done",
    otpAlphanumeric: false,
    otpLength: "8",
  })
})

t.test("wallet_kit_config leaves out ways that cannot work", async (t) => {
  const { post, core, clock } = await startProxy(t)
  const change = async (settings: object, unusableMethods: readonly string[]) => {
    core.settings = settings
    core.unusableMethods = unusableMethods
    core.version += 1n
    clock.ms += 2000
    return (await post("wallet_kit_config")).json["enabledProviders"]
  }
  const allowedAuthMethods = ["email", "sms", "passkey", "google", "x", "discord"]
  core.replies.push(ok({ oauth2Credentials: [{ provider: "OAUTH2_PROVIDER_DISCORD", clientId: "c" }] }))
  t.same(await change({ allowedAuthMethods }, []), ["google", "discord", "email", "sms", "passkey"])
  t.same(await change({ allowedAuthMethods }, ["email", "sms", "google", "x", "discord"]), ["passkey"])
  t.equal(core.posted.length, 1, "no credential is looked up for a way that cannot work")
})

t.test("wallet_kit_client_params answers without a body", async (t) => {
  const { post } = await startProxy(t)
  const { status, json } = await post("wallet_kit_client_params", "")
  t.same({ status, json }, { status: 200, json: {} })
})

t.test("account asks where contacts log in, and for credentials as they are stored", async (t) => {
  const { post, core } = await startProxy(t)
  const cases = [
    ["EMAIL", "a@b.example", "list_login_suborgs", "EMAIL"],
    ["PHONE_NUMBER", "+15551234567", "list_login_suborgs", "PHONE_NUMBER"],
    ["PHONE", "+15551234567", "list_login_suborgs", "PHONE_NUMBER"],
    ["CREDENTIAL_ID", "abc", "list_suborgs", "CREDENTIAL_ID"],
    ["PUBLIC_KEY", "02ab", "list_suborgs", "PUBLIC_KEY"],
    ["OIDC_TOKEN", "a.b.c", "list_suborgs", "OIDC_TOKEN"],
    ["NAME", "Acme", "list_suborgs", "NAME"],
  ] as const
  for (const [filterType, filterValue, path, sentType] of cases) {
    core.replies.push(ok({ organizationIds: ["sub"] }))
    t.same((await post("account", { filterType, filterValue })).json, { organizationId: "sub" }, filterType)
    t.match(core.posted.at(-1), {
      path: `/public/v1/query/${path}`,
      body: { organizationId: core.organizationId, filterType: sentType, filterValue },
      publicKey: core.key.publicKey,
    })
  }
  core.replies.push(ok({ organizationIds: [] }))
  t.same((await post("account", { filterType: "NAME", filterValue: "none" })).json, {})
})

t.test(
  "account names no organization where several match, and no contact without the proof that settings ask for",
  async (t) => {
    const { post, core, clock } = await startProxy(t)
    core.replies.push(ok({ organizationIds: ["one", "two"] }))
    t.match(await post("account", { filterType: "NAME", filterValue: "x" }), {
      status: 401,
      json: {
        code: 16,
        turnkeyErrorCode: "CREDENTIAL_CONFLICT",
        message: /^more than one suborg associated with this NAME: log in with its organizationId$/,
        details: [{}, { fieldViolations: [{ field: "filterValue" }] }],
      },
    })
    core.settings = { verificationTokenRequiredForGetAccountPii: true }
    core.version += 1n
    clock.ms += 2000
    const before = core.posted.length
    const email = { filterType: "EMAIL", filterValue: "a@b.example" }
    t.match(await post("account", email), {
      status: 403,
      json: { code: 7, message: /^verification token required/ },
    })
    t.equal(core.posted.length, before)
    core.replies.push(ok({ organizationIds: ["sub"] }))
    t.equal((await post("account", { filterType: "NAME", filterValue: "x" })).status, 200)
  },
)

t.test("signup creates a sub-organization with one root user, in the version of its path", async (t) => {
  const { post, core } = await startProxy(t)
  for (const [operation, version] of [
    ["signup", "V7"],
    ["signup_v2", "V8"],
  ] as const) {
    const created = { subOrganizationId: "sub", rootUserIds: ["user"] }
    core.replies.push(completed({ [`createSubOrganizationResult${version}`]: created }))
    const apiKeys = [{ apiKeyName: "k", publicKey: "02".repeat(33), curveType: "API_KEY_CURVE_P256" }]
    const { json } = await post(operation, {
      userName: "ann",
      organizationName: "Ann's",
      apiKeys,
      userTag: "t",
    })
    t.same(json, { organizationId: "sub", userId: "user", appProofs: [] })
    t.match(core.posted.at(-1), {
      path: "/public/v1/submit/create_sub_organization",
      body: { type: `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_${version}`, organizationId: core.organizationId },
    })
    t.same(core.posted.at(-1)?.body["parameters"], {
      subOrganizationName: "Ann's",
      rootUsers: [{ userName: "ann", apiKeys, authenticators: [], oauthProviders: [] }],
      rootQuorumThreshold: 1,
    })
    t.match(core.posted.at(-1)?.body["timestampMs"], /^\d{13}$/)
  }
})

t.test("a sign-up without names gets some, and its wallet may be described in two ways", async (t) => {
  const { post, core } = await startProxy(t)
  const wallet = { walletId: "w", addresses: ["0x1"] }
  const result = {
    createSubOrganizationResultV7: { subOrganizationId: "sub", rootUserIds: ["user"], wallet },
  }
  const sent = async (body: object) => {
    core.replies.push(completed(result, { appProofs: [{ scheme: "s" }] }))
    const { status, json } = await post("signup", body)
    t.match({ status, json }, { status: 200, json: { wallet, appProofs: [{ scheme: "s" }] } })
    const { body: posted } = core.posted.at(-1)!
    t.equal(posted["generateAppProofs"], true)
    return posted["parameters"] as { subOrganizationName: string; rootUsers: object[]; wallet: object }
  }
  const path = "m/44'/60'/0'/0/0"
  const short = await sent({ userEmail: "a@b.example", wallet: { path, curve: "CURVE_TYPE_SECP256K1" } })
  t.match(short.subOrganizationName, /^sub-org-\d{13}$/)
  t.match(short.rootUsers, [{ userName: "a@b.example", userEmail: "a@b.example" }])
  const account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path,
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  }
  t.same(short.wallet, { walletName: "Default Wallet", accounts: [account] })
  const named = { walletName: "Mine", accounts: [account], mnemonicLength: 24 }
  t.same((await sent({ wallet: named })).wallet, named)
  for (const half of [{ path }, { curve: "CURVE_P256" }, { path, curve: "CURVE_P256", accounts: [account] }])
    t.match(await post("signup", { wallet: half }), {
      status: 400,
      json: { message: /either accounts, or path and curve/ },
    })
})

t.test("a body that breaks a rule is refused by member, and nothing is sent", async (t) => {
  const { post, core } = await startProxy(t)
  for (const [operation, body, message] of [
    ["account", { filterType: "EMAIL" }, /filterValue/],
    ["account", { filterType: "SHOE", filterValue: "44" }, /filterType/],
    ["signup", { userEmail: "none" }, /userEmail/],
    ["signup", "{", /strict JSON/],
    ["signup", `{"userName":"a","userName":"b"}`, /strict JSON/],
  ] as const)
    t.match(await post(operation, body), { status: 400, json: { code: 3, message } }, JSON.stringify(body))
  t.same(core.posted, [])
})

t.test("an error of the core API passes as it is, with status and body", async (t) => {
  const { post, core, logged } = await startProxy(t)
  const text = `{"code":7,"message":"no","details":[{"a":1}],"turnkeyErrorCode":"REQUEST_NOT_AUTHORIZED"}`
  for (const status of [400, 403, 404, 429, 503]) {
    core.replies.push({ status, text })
    const reply = await post(
      "account",
      { filterType: "NAME", filterValue: "x" },
      { origin: "https://app.example" },
    )
    t.match({ status: reply.status, text: reply.text }, { status, text })
    t.equal(reply.headers.get("access-control-allow-origin"), "https://app.example", "pages may read it")
    t.match(logged.at(-1), { reason: "REQUEST_NOT_AUTHORIZED" })
  }
})

t.test("an activity that waits for approvals is no success", async (t) => {
  const { post, core } = await startProxy(t)
  core.replies.push(ok({ activity: { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", result: {} } }))
  t.match(await post("signup", { userName: "a" }), { status: 403, json: { message: /wait for approvals/ } })
})

t.test("after a 401 the current key is read, and the same request is sent once more", async (t) => {
  const { post, core } = await startProxy(t)
  const former = core.key.publicKey
  await post("wallet_kit_config")
  core.key = core.newKey(proxyOwnKey.publicKeyHex)
  core.version += 1n
  core.replies.push({ status: 401, text: `{"code":16}` }, ok({ organizationIds: ["sub"] }))
  t.same((await post("account", { filterType: "NAME", filterValue: "x" })).json, { organizationId: "sub" })
  t.same(
    core.posted.map(({ publicKey }) => publicKey),
    [former, core.key.publicKey],
  )
  core.replies.push({ status: 401, text: `{"code":16}` }, { status: 401, text: `{"code":16}` })
  t.equal((await post("account", { filterType: "NAME", filterValue: "x" })).status, 401)
})

t.test(
  "account links a new identity of Google to the one organization that has proven its address",
  async (t) => {
    const { post, core, clock } = await startProxy(t)
    const google = { iss: "https://accounts.google.com", aud: "shop", sub: "1", email: "a@b.example" }
    const compact = (claims: object) =>
      [{ alg: "ES256" }, claims, {}]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".")
    const ask = (changes: object = {}) =>
      post("account", {
        filterType: "OIDC_TOKEN",
        filterValue: compact({ ...google, email_verified: true, ...changes }),
      })
    const none = ok({ organizationIds: [] })
    const configure = (settings: typeof core.settings) => {
      core.settings = settings
      core.version += 1n
      clock.ms += 2000
    }
    const linking = { socialLinkingClientIds: ["shop"], allowedAuthMethods: ["google"] }
    configure(linking)
    core.replies.push(none, ok({ organizationIds: ["sub"] }), completed({ createOauthProvidersResultV2: {} }))
    t.same((await ask()).json, { organizationId: "sub" })
    const paths = () => core.posted.map(({ path }) => path.replace("/public/v1/", ""))
    t.same(paths(), ["query/list_suborgs", "query/list_verified_suborgs", "submit/create_oauth_providers"])
    t.match(core.posted.at(-1)?.body, {
      type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
      organizationId: "sub",
      parameters: {
        userId: "00000000-0000-0000-0000-000000000000",
        oauthProviders: [{ providerName: "Google" }],
      },
    })
    for (const changes of [
      { email_verified: false },
      { aud: "other" },
      { iss: "https://idp.example" },
      { email: "no address" },
    ]) {
      core.replies.push(none)
      const before = core.posted.length
      t.same((await ask(changes)).json, {}, JSON.stringify(changes))
      t.equal(core.posted.length, before + 1, "nothing but the look-up")
    }
    core.replies.push(none, ok({ organizationIds: ["one", "two"] }))
    t.same((await ask()).json, {}, "an address of two organizations")
    core.replies.push(none, none)
    t.same((await ask()).json, {}, "an address of nobody")
    const refusal = (status: number, turnkeyErrorCode: string) => ({
      status,
      text: JSON.stringify({ code: 3, message: "no", turnkeyErrorCode }),
    })
    core.replies.push(none, ok({ organizationIds: ["sub"] }), refusal(400, "INVALID_OIDC_TOKEN"), none)
    t.match(await ask(), { status: 200, json: {} }, "a token that the signer refuses")
    core.replies.push(
      none,
      ok({ organizationIds: ["sub"] }),
      refusal(409, "ANY"),
      ok({ organizationIds: ["sub"] }),
    )
    t.same((await ask()).json, { organizationId: "sub" }, "linked by another request meanwhile")
    core.replies.push(none, ok({ organizationIds: ["sub"] }), refusal(403, "FORBIDDEN"), none)
    t.equal((await ask()).status, 403, "a user who adds identities by their own stamp")
    configure({ ...linking, allowedAuthMethods: ["email"] })
    core.replies.push(none)
    t.same((await ask()).json, {}, "logins with Google are off")
  },
)
