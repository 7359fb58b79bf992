// Sign-ups with a verification token: the new organization opens to what the token's key signed, and to nothing else.
import t from "tap"
import { OtpType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { identitiesOf } from "../../services/api/store/identity-keys.ts"
import type { VerificationToken } from "../../signer/core/otp/verification-token.ts"
import { apiKey, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { documentOf } from "../harness/document.ts"
import { newIdentity } from "../harness/fetcher.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { clientSignature, otpLoginParams, signUpUsage, verified } from "../harness/verification.ts"
import { claimsOfSession } from "./oidc-fixture.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

type Changes = Partial<VerificationToken> & { key?: TestKey; signed?: object; user?: object; name?: "signup" }

const MAIL = "ann@example.com"
const EMPTY = { apiKeys: [], authenticators: [], oauthProviders: [] }

/** A sign-up by code with empty lists, as published clients make it. `user`: other members of the root user. */
function signUp(fixture: Fixture, changes: Changes = {}) {
  const { key = newKey(), signed = { ...EMPTY, email: MAIL }, user = {}, name, ...claims } = changes
  const { id, compact } = verified(fixture, key, claims)
  return {
    subOrganizationName: "Ann's",
    rootUsers: [{ userName: "ann", userEmail: MAIL, ...EMPTY, ...user }],
    rootQuorumThreshold: 1,
    verificationToken: compact,
    clientSignature: clientSignature(key, signUpUsage(id, signed, name)),
  }
}

async function setUp(t: { teardown(clean: () => Promise<void>): unknown }) {
  const fixture = await setup(t)
  const root = asRoot(fixture)
  const create = (parameters: object, version = "V8") =>
    root.submit(`CREATE_SUB_ORGANIZATION_${version}`, parameters)
  const attempt =
    (parameters: object, version = "V8") =>
    () =>
      root.attempt(`CREATE_SUB_ORGANIZATION_${version}`, parameters)
  return { fixture, create, attempt }
}

t.test("a code is the only login method: it signs up with empty lists, and logs in", async (t) => {
  const { fixture, create, attempt } = await setUp(t)
  const { client, acme } = fixture
  const key = newKey()
  const parameters = signUp(fixture, { key })
  const { subOrganizationId, rootUserIds } = valueOf(
    await create(parameters),
    "createSubOrganizationResultV8",
  )
  const [ann] = documentOf(client, subOrganizationId).users
  t.match(ann, { userId: rootUserIds[0], email: MAIL, emailVerified: true, phoneNumberVerified: false })
  await refused(t, fixture, "VERIFICATION_TOKEN_USED", attempt(parameters), "a second organization")
  const { clientSignature: _, ...login } = otpLoginParams(fixture, key)
  const once = otpLoginParams(fixture, key)
  const session = await client.submit(acme.root, "ACTIVITY_TYPE_OTP_LOGIN_V2", subOrganizationId, once)
  const claims = { organization_id: subOrganizationId, user_id: rootUserIds[0], public_key: login.publicKey }
  t.match(claimsOfSession(valueOf(session, "otpLoginResult").session), claims)
  const made = await client.submit(key, "ACTIVITY_TYPE_CREATE_WALLET", subOrganizationId, {
    walletName: "w",
    accounts: [],
  })
  t.match(valueOf(made, "createWalletResult"), { walletId: /./ }, "and the session acts")
})

t.test(
  "A8: an unproven contact leads to no organization in which its maker acted before they left it",
  async (t) => {
    const { fixture, create } = await setUp(t)
    const { client } = fixture
    const made = async (user: object) => {
      const rootUsers = [{ userName: "ann", ...EMPTY, ...user }]
      const created = await create({ subOrganizationName: "Ann's", rootUsers, rootQuorumThreshold: 1 })
      const { subOrganizationId: id, rootUserIds } = valueOf(created, "createSubOrganizationResultV8")
      return { id, userId: rootUserIds[0] ?? "" }
    }
    const looksAlone = (id: string) => {
      const users = documentOf(client, id).users.map(({ email, apiKeys }) => [email, apiKeys.length])
      t.same(users, [[MAIL, 0]])
    }
    const leadsTo = (id: string) =>
      identitiesOf(documentOf(client, id)).some(({ onlyLoginMethod }) => onlyLoginMethod)
    const clean = await made({ userEmail: MAIL })
    looksAlone(clean.id)
    t.equal(leadsTo(clean.id), true, "nobody has been in it")
    const eve = newKey()
    const short = await made({ userEmail: MAIL, apiKeys: [{ ...apiKey(eve), expirationSeconds: "3600" }] })
    const keys = documentOf(client, short.id).users[0]?.apiKeys ?? []
    await client.submit(eve, "ACTIVITY_TYPE_DELETE_API_KEYS", short.id, {
      userId: short.userId,
      apiKeyIds: keys.map(({ apiKeyId }) => apiKeyId),
    })
    looksAlone(short.id)
    t.equal(leadsTo(short.id), false, "an expiring key was its own last one")
    const other = await made({ apiKeys: [apiKey(eve)] })
    const submit = (type: string, parameters: object) =>
      client.submit(eve, `ACTIVITY_TYPE_${type}`, other.id, parameters)
    const users = [{ userName: "victim", userEmail: MAIL, userTags: [], ...EMPTY }]
    const { userIds } = valueOf(await submit("CREATE_USERS_V4", { users }), "createUsersResult")
    await submit("CREATE_POLICY_V3", { policyName: "all", effect: "EFFECT_ALLOW", notes: "" })
    await submit("UPDATE_ROOT_QUORUM", { threshold: 1, userIds })
    await submit("DELETE_USERS", { userIds: [other.userId] })
    looksAlone(other.id)
    t.equal(leadsTo(other.id), false, "its maker deleted themselves")
  },
)

t.test("the older version takes tokens of both kinds of codes, and the signature's older name", async (t) => {
  const { fixture, create, attempt } = await setUp(t)
  for (const [isSealed, name] of [
    [false, "signup"],
    [true, undefined],
  ] as const) {
    const changes = { isSealed, ...(name && { name }) }
    const outcome = await create(signUp(fixture, changes), "V7")
    const { subOrganizationId } = valueOf(outcome, "createSubOrganizationResultV7")
    t.equal(documentOf(fixture.client, subOrganizationId).users[0]?.emailVerified, true)
  }
  const plain = signUp(fixture, { isSealed: false })
  await refused(t, fixture, "VERIFICATION_TOKEN_UNSEALED", attempt(plain))
  await asRoot(fixture).submit("SET_ORGANIZATION_FEATURE", {
    name: "FEATURE_NAME_SEALED_OTP_ONLY",
    value: "",
  })
  await refused(t, fixture, "OTP_SEALED_ONLY", attempt(plain, "V7"))
})

t.test("a phone number signs up too, and only its own channel is verified", async (t) => {
  const { fixture, create } = await setUp(t)
  const contact = "+15551234567"
  const user = { userEmail: undefined, userPhoneNumber: contact }
  const signed = { ...EMPTY, phoneNumber: contact }
  const outcome = await create(signUp(fixture, { channel: OtpType.SMS, contact, user, signed }))
  const { subOrganizationId } = valueOf(outcome, "createSubOrganizationResultV8")
  const [ann] = documentOf(fixture.client, subOrganizationId).users
  t.match(ann, { phoneNumber: contact, phoneNumberVerified: true, emailVerified: false })
})

t.test("A8: one extra credential, contact or user in the body of a sign-up is refused", async (t) => {
  const { fixture, create, attempt } = await setUp(t)
  const passkey = new Passkey().create()
  const oauthProviders = [{ providerName: "idp", oidcToken: fixture.fakeFetcher.token({ sub: "eve" }) }]
  const extras = {
    "an API key": { apiKeys: [apiKey(newKey())] },
    "a key that expires": { apiKeys: [{ ...apiKey(newKey()), expirationSeconds: "60" }] },
    "a passkey": { authenticators: [passkey] },
    "an identity": { oauthProviders },
    "a phone number": { userPhoneNumber: "+15551234567" },
  }
  for (const [what, user] of Object.entries(extras))
    for (const version of ["V7", "V8"])
      await refused(t, fixture, "CLIENT_SIGNATURE_INVALID", attempt(signUp(fixture, { user }), version), what)
  const parameters = signUp(fixture)
  const eve = { userName: "eve", ...EMPTY, apiKeys: [apiKey(newKey())] }
  for (const rootUsers of [
    [...parameters.rootUsers, eve],
    [eve, ...parameters.rootUsers],
  ])
    await refused(t, fixture, "SIGN_UP_USERS_UNSIGNED", attempt({ ...parameters, rootUsers }))
  for (const [what, user] of Object.entries(extras)) {
    const { userPhoneNumber: phoneNumber, ...lists } = user as { userPhoneNumber?: string }
    const signed = { ...EMPTY, email: MAIL, ...lists, ...(phoneNumber !== undefined && { phoneNumber }) }
    t.ok(await create(signUp(fixture, { user, signed })), `${what} that the key signed`)
  }
})

t.test("A8: no token signs up with another contact, key, organization, deployment or time", async (t) => {
  const { fixture, create, attempt } = await setUp(t)
  const { boundary, fakeFetcher, client, acme } = fixture
  const other = { email: "eve@example.com" }
  const swapped = signUp(fixture, { user: { userEmail: other.email }, signed: { ...EMPTY, ...other } })
  await refused(t, fixture, "VERIFICATION_TOKEN_CONTACT_WRONG", attempt(swapped), "signed by the key itself")
  const channel = signUp(fixture, { channel: OtpType.SMS, contact: "+15551234567" })
  await refused(t, fixture, "VERIFICATION_TOKEN_CONTACT_WRONG", attempt(channel), "of the other channel")

  const [users, attackers] = [newKey(), newKey()]
  const good = signUp(fixture, { key: users })
  const { message } = good.clientSignature
  const injected = clientSignature(attackers, message)
  const unsigned = {
    "another key": injected,
    "another key's signature under the token's": { ...injected, publicKey: users.publicKeyHex },
    "a message of another token": signUp(fixture, { key: users }).clientSignature,
    "a message with white space added": { ...good.clientSignature, message: `${message} ` },
    "no signature": undefined,
  }
  for (const [what, signature] of Object.entries(unsigned))
    for (const version of ["V7", "V8"])
      await refused(
        t,
        fixture,
        "CLIENT_SIGNATURE_INVALID",
        attempt({ ...good, clientSignature: signature }, version),
        what,
      )
  const { verificationToken: _, ...tokenless } = good
  await refused(t, fixture, "REQUEST_INVALID", attempt(tokenless), "a signature without its token")

  const sub = await child(client, acme)
  const foreign = { ...fixture, fakeFetcher: Object.assign(Object.create(fakeFetcher), newIdentity()) }
  const invalid = {
    "an expired token": signUp(fixture, { expiresAtMs: boundary.nowMs() }),
    "a token of a sub-organization": signUp(fixture, { organizationId: sub.organizationId }),
    "a token of another deployment": signUp(foreign),
    "no token": { ...good, verificationToken: "a.b.c" },
  }
  for (const [what, parameters] of Object.entries(invalid))
    await refused(t, fixture, "VERIFICATION_TOKEN_INVALID", attempt(parameters), what)
  t.ok(await create(good), "the unaltered twin")
})

t.test(
  "root users with a contact alone are let in where its codes are on, and refused where nothing is",
  async (t) => {
    const { fixture, create, attempt } = await setUp(t)
    const unproven = (user: object, others: object = {}) => ({
      subOrganizationName: "Bob's",
      rootUsers: [{ userName: "bob", ...EMPTY, ...user }],
      rootQuorumThreshold: 1,
      ...others,
    })
    const mail = { userEmail: MAIL }
    const off = { disableEmailRecovery: true, disableEmailAuth: true, disableOtpEmailAuth: true }
    await refused(t, fixture, "QUORUM_INVALID", attempt(unproven({})), "nothing at all")
    await refused(t, fixture, "QUORUM_INVALID", attempt(unproven(mail, off)), "no mail lets them in")
    const number = { userPhoneNumber: "+15551234567" }
    await refused(t, fixture, "QUORUM_INVALID", attempt(unproven(number, { disableSmsAuth: true })))
    const outcome = await create(unproven(mail))
    const { subOrganizationId } = valueOf(outcome, "createSubOrganizationResultV8")
    t.equal(documentOf(fixture.client, subOrganizationId).users[0]?.emailVerified, false)
    const expiring = { ...apiKey(newKey()), expirationSeconds: "60" }
    t.ok(await create(unproven({ apiKeys: [expiring] })), "a key that expires")
  },
)

t.test("the root quorum passes to an end user with an e-mail address, while its codes are on", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const backend = newKey()
  const rootUsers = [
    { userName: "backend", ...EMPTY, apiKeys: [apiKey(backend)] },
    { userName: "ann", userEmail: MAIL, ...EMPTY },
  ]
  const { organizationId } = await child(client, acme, { rootUsers, key: backend })
  const ann = documentOf(client, organizationId).users.find(({ email }) => email === MAIL)!
  const asBackend = asRoot({ client, acme: { organizationId, root: backend, rootUserId: "" } })
  await asBackend.submit("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [ann.userId] })
  t.match(documentOf(client, organizationId).rootQuorum, { threshold: 1, userIds: [ann.userId] })
  const key = newKey()
  const login = otpLoginParams(fixture, key)
  await client.submit(acme.root, "ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId, login)
  const asAnn = asRoot({ client, acme: { organizationId, root: key, rootUserId: ann.userId } })
  for (const name of ["FEATURE_NAME_EMAIL_RECOVERY", "FEATURE_NAME_EMAIL_AUTH"])
    await asAnn.submit("REMOVE_ORGANIZATION_FEATURE", { name })
  const name = "FEATURE_NAME_OTP_EMAIL_AUTH"
  const last = () => asAnn.attempt("REMOVE_ORGANIZATION_FEATURE", { name })
  await refused(t, fixture, "QUORUM_INVALID", last, "the last channel")
  const gone = () => asAnn.attempt("UPDATE_USER_EMAIL", { userId: ann.userId, userEmail: "" })
  await refused(t, fixture, "LAST_CREDENTIAL", gone, "the last contact")
})
