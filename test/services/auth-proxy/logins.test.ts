// Codes and logins of the auth proxy before a core API of the test: settings, members, look-ups.
import t from "tap"
import { newKey } from "../../harness/stamper.ts"
import { completed, MAIL_TOKEN, ok, OTP_ID, publicKeyHex, sent, SUB, token } from "./login-replies.ts"
import { startProxy } from "./start-proxy.ts"

t.test("a code is asked for by contact, name and template; the signer has the other settings", async (t) => {
  const { post, core, clock } = await startProxy(t)
  const request = { otpType: "OTP_TYPE_EMAIL", contact: "ann@example.com" }
  core.replies.push(completed({ initOtpResult: { otpId: OTP_ID } }))
  t.same((await post("otp_init", request)).json, { otpId: OTP_ID })
  t.match(sent(core), {
    path: "submit/init_otp",
    type: "ACTIVITY_TYPE_INIT_OTP_V2",
    organizationId: core.organizationId,
  })
  t.same(sent(core)["parameters"], { ...request, appName: "Acme", emailCustomization: {} })
  const emailCustomizationParams = { appName: "Shop", logoUrl: "https://shop.example/logo.png" }
  core.settings = { otpLength: 8, emailCustomizationParams, otpTemplateId: "theirs" }
  core.version += 1n
  clock.ms += 2000
  const sealed = { otpId: OTP_ID, otpEncryptionTargetBundle: "{}" }
  for (const emailCustomization of [{}, { templateId: "mine" }]) {
    core.replies.push(completed({ initOtpResultV2: sealed }))
    t.same((await post("otp_init_v2", { ...request, emailCustomization })).json, sealed)
    const { type, parameters } = sent(core)
    t.equal(type, "ACTIVITY_TYPE_INIT_OTP_V3")
    t.same(parameters, { ...request, appName: "Shop", emailCustomization })
  }
})

t.test("a code is checked in the form of its path, and the key is read in both spellings", async (t) => {
  const { post, core } = await startProxy(t)
  const plain = { otpId: OTP_ID, otpCode: "ABC123" }
  const cases = [
    ["otp_verify", plain, "VERIFY_OTP", plain],
    [
      "otp_verify",
      { ...plain, public_key: publicKeyHex },
      "VERIFY_OTP",
      { ...plain, publicKey: publicKeyHex },
    ],
    [
      "otp_verify",
      { ...plain, publicKey: publicKeyHex },
      "VERIFY_OTP",
      { ...plain, publicKey: publicKeyHex },
    ],
    [
      "otp_verify_v2",
      { otpId: OTP_ID, encryptedOtpBundle: "{}" },
      "VERIFY_OTP_V2",
      { otpId: OTP_ID, encryptedOtpBundle: "{}" },
    ],
  ] as const
  for (const [operation, body, type, parameters] of cases) {
    core.replies.push(completed({ verifyOtpResult: { verificationToken: "a.b.c" } }))
    t.same((await post(operation, body)).json, { verificationToken: "a.b.c" })
    t.equal(sent(core)["type"], `ACTIVITY_TYPE_${type}`)
    t.same(sent(core)["parameters"], parameters)
  }
  t.equal(
    (await post("otp_verify", { ...plain, publicKey: publicKeyHex, public_key: publicKeyHex })).status,
    400,
  )
})

t.test("a login goes to the organization it names, else to the one of the proven contact", async (t) => {
  const { post, core } = await startProxy(t)
  const session = completed({ otpLoginResult: { session: "s" } })
  const base = { verificationToken: MAIL_TOKEN, publicKey: publicKeyHex }
  const signature = {
    publicKey: publicKeyHex,
    scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
    message: "{}",
    signature: "00",
  }
  core.replies.push(session)
  const named = { ...base, clientSignature: signature, organizationId: SUB, invalidateExisting: true }
  t.same((await post("otp_login_v2", named)).json, { session: "s" })
  t.match(sent(core), { path: "submit/otp_login", type: "ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId: SUB })
  t.same(sent(core)["parameters"], {
    ...base,
    invalidateExisting: true,
    expirationSeconds: "900",
    clientSignature: signature,
  })
  t.equal(core.posted.length, 1, "no look-up")
  for (const [channel, contact, filterType] of [
    ["OTP_TYPE_EMAIL", "ann@example.com", "EMAIL"],
    ["OTP_TYPE_SMS", "+15551234567", "PHONE_NUMBER"],
  ] as const) {
    core.settings = { allowedAuthMethods: ["email", "sms"] }
    core.version += 1n
    const { post: postAgain } = await startProxy(t, { core })
    core.replies.push(ok({ organizationIds: [SUB] }), session)
    const verificationToken = token({ verification_type: channel, contact, public_key: publicKeyHex })
    t.equal((await postAgain("otp_login", { ...base, verificationToken })).status, 200)
    t.match(core.posted.at(-2), {
      path: "/public/v1/query/list_login_suborgs",
      body: { organizationId: core.organizationId, filterType, filterValue: contact },
    })
    t.match(sent(core), { type: "ACTIVITY_TYPE_OTP_LOGIN", organizationId: SUB })
  }
})

t.test(
  "client_signature as text is the signature of the token, by the key that it is bound to",
  async (t) => {
    const { post, core } = await startProxy(t)
    const base = { verificationToken: MAIL_TOKEN, publicKey: newKey().publicKeyHex, organizationId: SUB }
    core.replies.push(completed({ otpLoginResult: { session: "s" } }))
    t.equal((await post("otp_login", { ...base, client_signature: "3045" })).status, 200)
    t.match(sent(core)["parameters"], {
      clientSignature: {
        publicKey: publicKeyHex,
        scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
        message: MAIL_TOKEN,
        signature: "3045",
      },
    })
    for (const clientSignature of [7, true])
      t.match(await post("otp_login", { ...base, clientSignature }), {
        status: 400,
        json: { message: /^clientSignature: / },
      })
  },
)

t.test("a token whose owner is in no organization, or in several, is refused at login", async (t) => {
  const { post, core } = await startProxy(t)
  core.settings = { allowedAuthMethods: ["email", "oidc"] }
  const idToken = token({ iss: "https://idp.example", aud: "app", sub: "ann" })
  const logins = [
    ["otp_login", { verificationToken: MAIL_TOKEN, publicKey: publicKeyHex }],
    ["oauth_login", { oidcToken: idToken, publicKey: publicKeyHex }],
  ] as const
  for (const [operation, body] of logins) {
    core.replies.push(ok({ organizationIds: [] }), ok({ organizationIds: [SUB, OTP_ID] }))
    t.match(await post(operation, body), {
      status: 404,
      json: { code: 5, turnkeyErrorCode: "ORGANIZATION_NOT_FOUND", message: /^no organization found/ },
    })
    t.match(await post(operation, body), {
      status: 401,
      json: {
        turnkeyErrorCode: "CREDENTIAL_CONFLICT",
        message: /: name it in organizationId$/,
        details: [{}, { fieldViolations: [{ field: "organizationId" }] }],
      },
    })
  }
  t.ok(core.posted.every(({ path }) => path.includes("/query/")))
})

t.test("what is no token is refused before anything is asked", async (t) => {
  const { post, core } = await startProxy(t)
  core.settings = { allowedAuthMethods: ["email", "oidc"] }
  for (const text of ["x", "a.b", "a.b.c", "a.e30.c.d", `a.${Buffer.from("[]").toString("base64url")}.c`]) {
    t.match(await post("otp_login", { verificationToken: text, publicKey: publicKeyHex }), {
      status: 401,
      json: { message: /^invalid verification token/ },
    })
    t.match(await post("oauth_login", { oidcToken: text, publicKey: publicKeyHex }), {
      status: 400,
      json: { turnkeyErrorCode: "INVALID_OIDC_TOKEN" },
    })
  }
  t.same(core.posted, [])
})

t.test("oauth_login looks the identity up and passes the session's length", async (t) => {
  const { post, core } = await startProxy(t)
  core.settings = { allowedAuthMethods: ["oidc"], sessionExpirationSeconds: 1800 }
  const oidcToken = token({ iss: "https://idp.example", aud: "app", sub: "ann" })
  core.replies.push(ok({ organizationIds: [SUB] }), completed({ oauthLoginResult: { session: "s" } }))
  const login = { oidcToken, publicKey: publicKeyHex, invalidateExisting: false }
  t.same((await post("oauth_login", login)).json, { session: "s" })
  t.match(core.posted.at(-2), {
    path: "/public/v1/query/list_suborgs",
    body: { filterType: "OIDC_TOKEN", filterValue: oidcToken },
  })
  t.match(sent(core), { type: "ACTIVITY_TYPE_OAUTH_LOGIN", organizationId: SUB })
  t.same(sent(core)["parameters"], { ...login, expirationSeconds: "1800" })
})

t.test("a way to log in that is off is refused by name, and nothing is sent", async (t) => {
  const text = { otpType: "OTP_TYPE_SMS", contact: "+15551234567" }
  const mail = { otpType: "OTP_TYPE_EMAIL", contact: "ann@example.com" }
  const oauth = (iss: string) => ({ oidcToken: token({ iss, aud: "a", sub: "s" }), publicKey: publicKeyHex })
  const mailLogin = { verificationToken: MAIL_TOKEN, publicKey: publicKeyHex }
  const cases = [
    [[], "otp_init", text, "OTP disallowed"],
    [["sms"], "otp_init_v2", mail, "OTP disallowed"],
    [["sms"], "otp_login", mailLogin, "OTP disallowed"],
    [[], "oauth_login", oauth("https://idp.example"), "OAUTH disallowed"],
    [["google"], "oauth_login", oauth("https://idp.example"), "OAUTH disallowed"],
    [["oidc", "apple"], "oauth_login", oauth("https://accounts.google.com"), "OAUTH disallowed"],
    [["oidc", "google"], "oauth_login", oauth("https://appleid.apple.com"), "OAUTH disallowed"],
    [["oidc", "google"], "oauth_login", oauth("https://www.facebook.com"), "OAUTH disallowed"],
  ] as const
  for (const [allowedAuthMethods, operation, body, message] of cases) {
    const { post, core } = await startProxy(t)
    core.settings = { allowedAuthMethods: [...allowedAuthMethods] }
    t.match(await post(operation, body), {
      status: 403,
      json: { code: 7, message: new RegExp(`^${message}: `), turnkeyErrorCode: "REQUEST_NOT_AUTHORIZED" },
    })
    t.same(core.posted, [], operation)
  }
  const { post, core } = await startProxy(t)
  core.settings = { walletKitSettings: { enabledSocialProviders: ["google"] } }
  for (const issuer of ["https://accounts.google.com", "accounts.google.com"]) {
    core.replies.push(ok({ organizationIds: [SUB] }), completed({ oauthLoginResult: { session: "s" } }))
    t.equal((await post("oauth_login", oauth(issuer))).status, 200, "on in the kit's settings")
  }
})
