import t from "tap"
import { Effect, FeatureName } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { withDefaults } from "../../../../../signer/core/auth-proxy/settings.ts"
import { refusedAt, settled } from "../../../../contract/refused.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { authProxyPairing, openedKey, proxyOf } from "../../../../harness/auth-proxy.ts"
import { documentOf } from "../../../../harness/document.ts"
import { child } from "../../../../harness/sub-organization.ts"

const paired = async (t: Parameters<typeof settled>[0]) => settled(t, authProxyPairing)
type Fixture = Awaited<ReturnType<typeof paired>>

const shown = ({ client, organizationId }: Fixture) => documentOf(client, organizationId)
const proxyOfIt = (fixture: Fixture) => proxyOf(shown(fixture))
const settingsOf = (fixture: Fixture) => withDefaults(proxyOfIt(fixture).settings)
const userOf = (fixture: Fixture) => {
  const { userId } = proxyOfIt(fixture)
  return shown(fixture).users.find((user) => user.userId === userId)
}
const policyOf = (fixture: Fixture) => {
  const { policyId } = proxyOfIt(fixture)
  return shown(fixture).policies.find((policy) => policy.policyId === policyId)
}
const featuresOf = (fixture: Fixture) => shown(fixture).features.map(({ name }) => name)

const UPDATE = "UPDATE_AUTH_PROXY_CONFIG"
const WAYS: readonly [how: string, type: string, parameters: object][] = [
  ["enable_auth_proxy", "ENABLE_AUTH_PROXY", {}],
  ["the feature", "SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_AUTH_PROXY" }],
]

for (const [how, type, parameters] of WAYS) {
  t.test(`${how} makes a user with one key, a narrow policy and a configuration`, async (t) => {
    const fixture = await paired(t)
    await fixture.submit(type, parameters)
    const { configId, userId, publicKey } = proxyOfIt(fixture)
    const user = userOf(fixture)
    t.match(user, { name: `Auth proxy ${configId}`, authenticators: [], oauthProviders: [], tagIds: [] })
    t.match(user?.apiKeys, [{ publicKey, expiresAtMs: 0n }])
    t.equal(user?.apiKeys.length, 1)
    t.equal(openedKey(shown(fixture))?.publicKeyHex, publicKey)
    const policy = policyOf(fixture)
    t.equal(policy?.effect, Effect.ALLOW)
    t.equal(policy?.consensus, `approvers.any(user, user.id == '${userId}')`)
    t.match(
      policy?.condition,
      /^activity\.type in \['ACTIVITY_TYPE_[A-Z0-9_]+'(?:, 'ACTIVITY_TYPE_[A-Z0-9_]+')+\]$/,
    )
    t.same(featuresOf(fixture), [FeatureName.AUTH_PROXY])
    t.notOk(shown(fixture).rootQuorum?.userIds.includes(userId))
  })
}

t.test("the reply names the user and the configuration", async (t) => {
  const fixture = await paired(t)
  const { userId } = valueOf(await fixture.submit("ENABLE_AUTH_PROXY", {}), "enableAuthProxyResult")
  t.equal(userId, proxyOfIt(fixture).userId)
  const { configId } = valueOf(await fixture.submit(UPDATE, {}), "updateAuthProxyConfigResult")
  t.equal(configId, proxyOfIt(fixture).configId)
  t.same(valueOf(await fixture.submit("DISABLE_AUTH_PROXY", {}), "disableAuthProxyResult"), {
    $typeName: "countersign.api.v1.DisableAuthProxyResult",
  })
})

t.test("enabled again, the proxy has a new key, and all else as it was first made", async (t) => {
  const fixture = await paired(t)
  await fixture.submit("ENABLE_AUTH_PROXY", {})
  await fixture.submit(UPDATE, { otpLength: 8 })
  const before = proxyOfIt(fixture)
  await fixture.submit("DELETE_POLICY", { policyId: before.policyId })
  await fixture.submit("ENABLE_AUTH_PROXY", {})
  const { publicKey, sealedPrivateKey, ...same } = proxyOfIt(fixture)
  const { publicKey: formerKey, sealedPrivateKey: formerSeal, ...former } = before
  t.same(same, former)
  t.not(publicKey, formerKey)
  t.notSame(sealedPrivateKey, formerSeal)
  t.ok(policyOf(fixture))
  t.equal(userOf(fixture)?.apiKeys.length, 1)
})

for (const [how, type, parameters] of [
  ["disable_auth_proxy", "DISABLE_AUTH_PROXY", {}],
  ["removing the feature", "REMOVE_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_AUTH_PROXY" }],
] as const) {
  t.test(`${how} deletes user, key and policy; settings and ids stay for the next enabling`, async (t) => {
    const fixture = await paired(t)
    const { version } = shown(fixture)
    await fixture.submit(type, parameters)
    t.equal(shown(fixture).version, version, "nothing to disable")
    await fixture.submit("ENABLE_AUTH_PROXY", {})
    await fixture.submit(UPDATE, { allowedOrigins: ["https://app.example"] })
    const { configId, userId, policyId } = proxyOfIt(fixture)
    await fixture.submit(type, parameters)
    t.match(proxyOfIt(fixture), { configId, userId, policyId, publicKey: "" })
    t.equal(proxyOfIt(fixture).sealedPrivateKey.length, 0)
    t.same([userOf(fixture), policyOf(fixture), featuresOf(fixture)], [undefined, undefined, []])
    await fixture.submit("ENABLE_AUTH_PROXY", {})
    t.match(proxyOfIt(fixture), { configId, userId, policyId })
    t.same(settingsOf(fixture).allowedOrigins, ["https://app.example"])
  })
}

t.test(
  "an update changes what it names; absent members and empty lists stay, resetMembers go back",
  async (t) => {
    const fixture = await paired(t)
    await fixture.submit("ENABLE_AUTH_PROXY", {})
    t.match(settingsOf(fixture), {
      allowedOrigins: [],
      allowMissingOrigin: false,
      allowedAuthMethods: ["email", "passkey", "wallet"],
      otpExpirationSeconds: 300,
      verificationTokenExpirationSeconds: 3600,
      sessionExpirationSeconds: 900,
      otpAlphanumeric: true,
      otpLength: 6,
      captchaEnabled: false,
      verificationTokenRequiredForGetAccountPii: false,
    })
    await fixture.submit(UPDATE, {
      allowedOrigins: ["HTTPS://App.example/", "http://localhost:3000"],
      allowedAuthMethods: ["sms", "google"],
      sendFromEmailAddress: "login@app.example",
      emailCustomizationParams: { appName: "App", logoUrl: "https://app.example/logo.png" },
      walletKitSettings: { enabledSocialProviders: ["google"], oauthClientIds: { google: "1" } },
      sessionExpirationSeconds: 1800,
      otpAlphanumeric: false,
    })
    await fixture.submit(UPDATE, {
      allowedOrigins: [],
      emailCustomizationParams: { appName: "App two" },
      walletKitSettings: { oauthRedirectUrl: "https://app.example/done" },
      otpLength: 8,
    })
    t.match(settingsOf(fixture), {
      allowedOrigins: ["https://app.example", "http://localhost:3000"],
      allowedAuthMethods: ["sms", "google"],
      sendFromEmailAddress: "login@app.example",
      emailCustomizationParams: { appName: "App two", logoUrl: "https://app.example/logo.png" },
      walletKitSettings: {
        enabledSocialProviders: ["google"],
        oauthClientIds: { google: "1" },
        oauthRedirectUrl: "https://app.example/done",
      },
      sessionExpirationSeconds: 1800,
      otpAlphanumeric: false,
      otpLength: 8,
    })
    const resetMembers = [
      "allowedOrigins",
      "sendFromEmailAddress",
      "walletKitSettings",
      "otpAlphanumeric",
      "otpLength",
    ]
    await fixture.submit(UPDATE, { resetMembers, otpLength: 9 })
    const { allowedOrigins, sendFromEmailAddress, walletKitSettings, otpAlphanumeric, otpLength } =
      settingsOf(fixture)
    t.same(
      { allowedOrigins, sendFromEmailAddress, walletKitSettings, otpAlphanumeric, otpLength },
      {
        allowedOrigins: [],
        sendFromEmailAddress: undefined,
        walletKitSettings: undefined,
        otpAlphanumeric: true,
        otpLength: 9,
      },
    )
    t.equal(settingsOf(fixture).sessionExpirationSeconds, 1800)
  },
)

t.test("settings outside their bounds are refused by member", async (t) => {
  const { client, root, organizationId, submit } = await paired(t)
  await submit("ENABLE_AUTH_PROXY", {})
  const refuses = (parameters: object, code: Parameters<typeof refusedAt>[4], field: string) =>
    refusedAt(t, client, root, [UPDATE, organizationId, parameters], code, `parameters.${field}`)
  for (const origin of ["null", "https://*.example.com", "https://app.example/login", "app.example"])
    await refuses({ allowedOrigins: ["*", origin] }, "AUTH_PROXY_SETTING_INVALID", "allowedOrigins[1]")
  await refuses({ allowedAuthMethods: ["fax"] }, "REQUEST_INVALID", "allowedAuthMethods[0]")
  await refuses(
    { walletKitSettings: { enabledSocialProviders: ["y"] } },
    "REQUEST_INVALID",
    "walletKitSettings.enabledSocialProviders[0]",
  )
  await refuses({ resetMembers: ["configId"] }, "REQUEST_INVALID", "resetMembers[0]")
  for (const [member, values] of Object.entries({
    otpLength: [5, 10],
    otpExpirationSeconds: [0, 1, 59, 601],
    verificationTokenExpirationSeconds: [0, 86_401],
    sessionExpirationSeconds: [0],
  }))
    for (const value of values) await refuses({ [member]: value }, "REQUEST_INVALID", member)
})

t.test("a disabled proxy has no settings to change, and an unpaired signer makes no key", async (t) => {
  const { client, root, organizationId } = await settled(t)
  const refuses = (type: string, parameters: object, code: Parameters<typeof refusedAt>[4]) =>
    refusedAt(t, client, root, [type, organizationId, parameters], code)
  await refuses(UPDATE, { otpLength: 8 }, "AUTH_PROXY_DISABLED")
  t.match(await refuses("ENABLE_AUTH_PROXY", {}, "AUTH_PROXY_NOT_PAIRED"), /docs\/OPERATIONS\.md/)
  await refuses("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_AUTH_PROXY" }, "AUTH_PROXY_NOT_PAIRED")
})

t.test("the proxy's user and key are deleted by disabling alone", async (t) => {
  const fixture = await paired(t)
  const { client, root, organizationId, submit } = fixture
  await submit("ENABLE_AUTH_PROXY", {})
  const user = userOf(fixture)!
  const refuses = (type: string, parameters: object) =>
    refusedAt(t, client, root, [type, organizationId, parameters], "AUTH_PROXY_IN_USE")
  await refuses("DELETE_USERS", { userIds: [user.userId] })
  const apiKeyIds = user.apiKeys.map(({ apiKeyId }) => apiKeyId)
  await refuses("DELETE_API_KEYS", { userId: user.userId, apiKeyIds })
})

t.test("a sub-organization has no auth proxy of its own", async (t) => {
  const { client, ...parent } = await paired(t)
  const sub = await child(client, parent)
  for (const [type, parameters] of [
    ...WAYS.map(([, ...way]) => way),
    ["DISABLE_AUTH_PROXY", {}],
    [UPDATE, {}],
  ] as const)
    await refusedAt(t, client, sub.root, [type, sub.organizationId, parameters], "ACTIVITY_CALLER_INVALID")
})
