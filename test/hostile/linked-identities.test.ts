// Identities of Google that the parent links by an e-mail address: under exact conditions, and to its user alone.
import t, { type Test } from "tap"
import { apiKey, userParams, valueOf } from "../harness/api-client.ts"
import { AttestedKey, nonceOf } from "../harness/attested.ts"
import { openedKey } from "../harness/auth-proxy.ts"
import { documentOf } from "../harness/document.ts"
import { issuerKey } from "../harness/id-token.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { otpLoginParams } from "../harness/verification.ts"
import { CLIENT_ID, GOOGLE, withGoogle } from "./google-fixture.ts"
import { claimsOfSession } from "./oidc-fixture.ts"
import { asRoot, refused, setup } from "./setup.ts"

const TYPE = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
const NIL = "00000000-0000-0000-0000-000000000000"
const REFUSED = "OIDC_LINK_NOT_ALLOWED"
const MAIL = "Ann@example.com"

/** Acme with an auth proxy that links the shop's identities, and Ann's sub-organization. */
async function setUp(t: Test) {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const token = withGoogle(fixture)
  const root = asRoot(fixture)
  await root.submit("ENABLE_AUTH_PROXY", {})
  const configure = (settings: object) => {
    boundary.clock.pass(1)
    return root.submit("UPDATE_AUTH_PROXY_CONFIG", settings)
  }
  await configure({ socialLinkingClientIds: [CLIENT_ID] })
  const proxyKey = openedKey(documentOf(client, acme.organizationId))!
  const person = (userName: string, userEmail: string, key: TestKey) => {
    const { userTags: _, ...user } = { ...userParams(userName), userEmail, apiKeys: [apiKey(key)] }
    return child(client, acme, { key, rootUsers: [user] })
  }
  const ann = await person("ann", MAIL, newKey())
  const prove = () =>
    client.submit(proxyKey, "ACTIVITY_TYPE_OTP_LOGIN_V2", ann.organizationId, otpLoginParams(fixture))
  const send = (type: string, parameters: object, by: TestKey, organizationId = ann.organizationId) => {
    boundary.clock.pass(1)
    return client.send(client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters), by)
  }
  const asAnn = async (type: string, parameters: object) => {
    const answer = await send(type, parameters, ann.root)
    if (answer.is !== "outcome") throw new Error(`${type}: ${JSON.stringify(answer)}`)
    return answer.outcome
  }
  const link = (oidcToken = token(), changes: object = {}, by = proxyKey) =>
    send(
      "CREATE_OAUTH_PROVIDERS_V2",
      { userId: NIL, oauthProviders: [{ providerName: "Google", oidcToken }], ...changes },
      by,
    )
  const annsIdentities = () => documentOf(client, ann.organizationId).users[0]!.oauthProviders
  return { fixture, token, configure, proxyKey, person, ann, prove, send, asAnn, link, annsIdentities }
}

t.test(
  "an identity of Google is linked to the user who has proven its address, and logs in there",
  async (t) => {
    const { fixture, token, ann, prove, link, annsIdentities, proxyKey } = await setUp(t)
    const { client, acme } = fixture
    await prove()
    t.match(await link(), { is: "outcome", outcome: { organizationId: ann.organizationId } })
    t.match(annsIdentities(), [{ issuer: GOOGLE, audience: CLIENT_ID, subject: "110169", name: "Google" }])
    const named = token({ sub: "2", iss: "accounts.google.com", email: "ANN@EXAMPLE.COM" })
    t.match(await link(named, { userId: ann.rootUserId.toUpperCase() }), { is: "outcome" })
    t.equal(annsIdentities().length, 2)
    const key = newKey()
    const by = new AttestedKey(key, token({ nonce: nonceOf(key) }))
    const login = { publicKey: key.publicKeyHex }
    const session = await client.submit(by, "ACTIVITY_TYPE_STAMP_LOGIN", acme.organizationId, login)
    t.match(claimsOfSession(valueOf(session, "stampLoginResult").session), {
      organization_id: ann.organizationId,
      user_id: ann.rootUserId,
    })
    const oauthProviders = [{ providerName: "Google", oidcToken: token() }]
    await refused(t, fixture, "AUTH_PROXY_USER_DENIED", () =>
      client.send(
        client.body(TYPE, acme.organizationId, { userId: acme.rootUserId, oauthProviders }),
        proxyKey,
      ),
    )
  },
)

t.test(
  "A8: the parent links nothing but a proven identity of Google, by the settings, to its address's user",
  async (t) => {
    const { fixture, token, configure, ann, prove, link, asAnn, send, person } = await setUp(t)
    const { fakeFetcher, client, acme, boundary } = fixture
    const no = (what: string, attack: () => ReturnType<typeof link>, code = REFUSED) =>
      refused(t, fixture, code as typeof REFUSED, attack, what)
    await no("an address that its user has not proven", () => link())
    await prove()
    const nowSeconds = Math.floor(boundary.nowMs() / 1000)
    for (const changes of [
      { email_verified: false },
      { email_verified: "true" },
      { email_verified: undefined },
      { email: undefined },
      { email: "" },
      { email: ["ann@example.com"] },
      { email: "ann@example.com.evil.example" },
      { email: "bob@example.com" },
      { email: "ann@example.com " },
      { aud: "another.apps.googleusercontent.com" },
      { aud: `${CLIENT_ID}.evil` },
      { iss: fakeFetcher.issuer },
      { iss: "https://accounts.google.com.evil.example" },
      { iss: "https://accounts.google.com/" },
    ])
      await no(JSON.stringify(changes), () => link(token(changes)))
    await no("of the issuer that people are sent to", () =>
      link(fakeFetcher.token({ aud: CLIENT_ID, email: MAIL, email_verified: true })),
    )
    await no("expired", () => link(token({ exp: nowSeconds - 120 })), "OIDC_TOKEN_INVALID")
    await no(
      "signed by another key",
      () => link(token({}, issuerKey("p256", "google"))),
      "OIDC_TOKEN_INVALID",
    )
    await no("no token", () => link("x"), "OIDC_TOKEN_INVALID")
    const provider = { providerName: "Google", oidcToken: token() }
    const claims = { providerName: "g", oidcClaims: { iss: GOOGLE, sub: "110169", aud: CLIENT_ID } }
    await no("claims beside the token", () => link("", { oauthProviders: [provider, claims] }))
    await no("claims alone", () => link("", { oauthProviders: [claims] }))
    await no("two tokens", () =>
      link("", { oauthProviders: [provider, { ...provider, oidcToken: token({ sub: "2" }) }] }),
    )
    const users = [{ ...userParams("bea", newKey()), userEmail: "bea@example.com" }]
    const made = await asAnn("CREATE_USERS_V3", { users })
    const [bea] = valueOf(made, "createUsersResult").userIds
    await no("to another user of the organization", () => link(token(), { userId: bea }))
    await no("to the parent's user", () => link(token(), { userId: acme.rootUserId }))
    const stranger = await person("mallory", "mallory@example.com", newKey())
    const list = { userId: NIL, oauthProviders: [provider] }
    const elsewhere = () =>
      send(
        "CREATE_OAUTH_PROVIDERS_V2",
        list,
        openedKey(documentOf(client, acme.organizationId))!,
        stranger.organizationId,
      )
    await no("in another sub-organization", elsewhere)
    await no("by a sibling", () => link(token(), {}, stranger.root), "CREDENTIAL_UNKNOWN")
    await no("by a stranger", () => link(token(), {}, newKey()), "CREDENTIAL_UNKNOWN")
    const { key } = await client.user(acme, "no right")
    t.match(
      await link(token(), {}, key),
      { is: "refused", code: "PERMISSION_DENIED" },
      "a user without a policy",
    )
    await no("the nil id for an own user", () => link(token(), {}, ann.root), "RESOURCE_UNKNOWN")
    await configure({ resetMembers: ["socialLinkingClientIds"] })
    await no("a client id that was removed", () => link())
    await configure({ socialLinkingClientIds: [CLIENT_ID] })
    await asAnn("REMOVE_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_OTP_EMAIL_AUTH" })
    await no("where its mail opens nothing", () => link(), "OTP_DISABLED")
    await asAnn("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_OTP_EMAIL_AUTH" })
    await asAnn("UPDATE_USER_EMAIL", { userId: bea, userEmail: "ann@EXAMPLE.com" })
    await no("an address of two users", () => link(), "CONTACT_AMBIGUOUS")
    await asAnn("UPDATE_USER_EMAIL", { userId: bea, userEmail: "bea@example.com" })
    t.match(await link(), { is: "outcome" }, "the unaltered twin")
  },
)

t.test(
  "A8: no identity is linked past its user's MFA policy, nor again by a token that its user has unlinked",
  async (t) => {
    const { fixture, token, ann, prove, link, asAnn, annsIdentities } = await setUp(t)
    await prove()
    const kept = token()
    t.match(await link(kept), { is: "outcome" })
    const providerIds = [annsIdentities()[0]!.providerId]
    await asAnn("DELETE_OAUTH_PROVIDERS", { userId: ann.rootUserId, providerIds })
    await refused(t, fixture, "OIDC_TOKEN_USED", () => link(kept), "by the token that the parent kept")
    await asAnn("CREATE_MFA_POLICY", {
      userId: ann.rootUserId,
      mfaPolicyName: "key",
      condition: "activity.resource == 'WALLET'",
      requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_API_KEY" }] }],
      order: 0,
    })
    await refused(t, fixture, REFUSED, () => link(token({ sub: "3" })), "a user with an MFA policy")
    t.same(annsIdentities(), [])
  },
)

t.test(
  "the address of a linked application is proven when its user adds the identity themself",
  async (t) => {
    const { fixture, token, ann, asAnn, send } = await setUp(t)
    const { client, acme } = fixture
    const userOf = (organizationId: string, at = 0) => documentOf(client, organizationId).users[at]!
    const add = (userId: string, oidcToken: string) =>
      asAnn("CREATE_OAUTH_PROVIDERS_V2", { userId, oauthProviders: [{ providerName: "Google", oidcToken }] })
    const verified = ({ email, emailVerified }: ReturnType<typeof userOf>) => ({ email, emailVerified })
    for (const changes of [{ aud: "other" }, { email_verified: false }, { email: "x@example.com" }])
      await add(ann.rootUserId, token({ ...changes, sub: JSON.stringify(changes) }))
    t.same(
      verified(userOf(ann.organizationId)),
      { email: MAIL, emailVerified: false },
      "another one proves nothing",
    )
    const made = await asAnn("CREATE_USERS_V3", { users: [userParams("bea", newKey())] })
    const [bea] = valueOf(made, "createUsersResult").userIds
    await add(bea!, token({ sub: "bea" }))
    t.same(
      verified(userOf(ann.organizationId, 1)),
      { email: "", emailVerified: false },
      "an address stays its user's",
    )
    await add(ann.rootUserId, token())
    t.same(verified(userOf(ann.organizationId)), { email: MAIL, emailVerified: true })
    const oauthProviders = [
      { providerName: "Google", oidcToken: token({ sub: "cem", email: "cem@example.com" }) },
    ]
    const rootUsers = [{ userName: "cem", apiKeys: [], authenticators: [], oauthProviders }]
    const cem = await child(client, acme, { rootUsers })
    t.same(
      verified(userOf(cem.organizationId)),
      { email: "cem@example.com", emailVerified: true },
      "at a sign-up",
    )
    const own = { userId: acme.rootUserId, oauthProviders }
    t.match(await send("CREATE_OAUTH_PROVIDERS_V2", own, acme.root, acme.organizationId), { is: "outcome" })
    t.equal(userOf(acme.organizationId).email, "", "not in a top-level organization")
  },
)
