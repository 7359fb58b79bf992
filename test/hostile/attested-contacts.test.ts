// Stamps by keys that a verification token is bound to: for logins and votes, of the contact's user.
import { createHash } from "node:crypto"
import t from "tap"
import { OtpType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, signParams, userParams, valueOf } from "../harness/api-client.ts"
import { AttestedKey } from "../harness/attested.ts"
import { newIdentity } from "../harness/fetcher.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { contactKey, otpLoginParams } from "../harness/verification.ts"
import { CONTACT_SCHEME, OIDC_SCHEME } from "../../signer/core/stamp/attested.ts"
import { attestedKey, claimsOfSession, loginServer } from "./oidc-fixture.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"
const ANN = "ann@example.com"

/** A sub-organization whose root user has a key and a contact. */
function person({ client, acme }: Fixture, contact: object = { userEmail: ANN }) {
  const key = newKey()
  const root = { userName: "root", authenticators: [], oauthProviders: [], apiKeys: [apiKey(key)] }
  return child(client, acme, { key, rootUsers: [{ ...root, ...contact }] })
}

function logins(fixture: Fixture) {
  const { client } = fixture
  const body = (organizationId: string, by: AttestedKey) =>
    client.body(LOGIN, organizationId, { publicKey: by.key.publicKeyHex })
  return {
    logIn: (organizationId: string, by = contactKey(fixture)) =>
      client.submit(by, LOGIN, organizationId, { publicKey: by.key.publicKeyHex }),
    /** An attack that stamps a login of this organization. */
    offer: (organizationId: string, by: AttestedKey, changes: object = {}) => {
      const text = body(organizationId, by)
      return () => client.offer(text, { xStampAttested: by.stamp(text, changes) })
    },
  }
}

t.test(
  "a proven contact's key opens a session, and once it was proven also by the parent's id",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, boundary } = fixture
    const { logIn, offer } = logins(fixture)
    const ann = await person(fixture)
    await person(fixture, { userEmail: "bob@example.com" })
    await refused(
      t,
      fixture,
      "IDENTITY_UNKNOWN",
      offer(acme.organizationId, contactKey(fixture)),
      "not proven",
    )
    await logIn(ann.organizationId)
    await boundary.restart()
    for (const organizationId of [ann.organizationId, acme.organizationId]) {
      const by = contactKey(fixture, { contact: "Ann@Example.COM" })
      const outcome = await logIn(organizationId, by)
      t.equal(outcome.organizationId, ann.organizationId)
      const owner = { organization_id: ann.organizationId, user_id: ann.rootUserId }
      const { session } = valueOf(outcome, "stampLoginResult")
      t.match(claimsOfSession(session), { public_key: by.key.publicKeyHex, ...owner })
      const signed = client.body(
        "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
        ann.organizationId,
        signParams(ann.address),
      )
      t.match(await client.send(signed, by.key), { is: "outcome" }, "the session stamps")
    }
  },
)

t.test("a phone number proves its user as an address does, by its own channel", async (t) => {
  const fixture = await setup(t)
  const { logIn, offer } = logins(fixture)
  const userPhoneNumber = "+15551234567"
  const ann = await person(fixture, { userPhoneNumber })
  const claims = { channel: OtpType.SMS, contact: userPhoneNumber }
  t.equal((await logIn(ann.organizationId, contactKey(fixture, claims))).organizationId, ann.organizationId)
  const byMail = contactKey(fixture, { contact: userPhoneNumber })
  await refused(t, fixture, "IDENTITY_UNKNOWN", offer(ann.organizationId, byMail), "the other channel")
})

t.test("A5: a contact's token of another key, organization, fetcher or time opens nothing", async (t) => {
  const fixture = await setup(t)
  const { client, fakeFetcher, boundary, acme } = fixture
  const { logIn, offer } = logins(fixture)
  const { organizationId } = await person(fixture)
  const bob = await person(fixture, { userEmail: "bob@example.com" })
  const good = contactKey(fixture)
  const another = newKey()

  const stolen = new AttestedKey(another, good.token, CONTACT_SCHEME)
  await refused(t, fixture, "STAMP_KEY_UNATTESTED", offer(organizationId, stolen), "a stolen token")
  const unbound = contactKey(fixture, { publicKey: undefined })
  await refused(t, fixture, "STAMP_KEY_UNATTESTED", offer(organizationId, unbound), "a token bound to no key")
  const renamed = offer(organizationId, stolen, { publicKey: good.key.publicKeyHex })
  await refused(t, fixture, "STAMP_INVALID", renamed, "another signer")
  const text = client.body(LOGIN, organizationId, { publicKey: good.key.publicKeyHex })
  const moved = () => client.offer(`${text} `, { xStampAttested: good.stamp(text) })
  await refused(t, fixture, "STAMP_INVALID", moved, "another body")

  const foreign = Object.assign(Object.create(fakeFetcher), { keySet: newIdentity().keySet })
  const stranger = await client.createOrganization()
  const invalid = {
    "an expired token": contactKey(fixture, { expiresAtMs: boundary.nowMs() }),
    "a token of another sub-organization": contactKey(fixture, { organizationId: bob.organizationId }),
    "a token of another tenant": contactKey(fixture, { organizationId: stranger.organizationId }),
    "a token of another fetcher": contactKey({ ...fixture, fakeFetcher: foreign }),
    "a token with another contact": altered(contactKey(fixture, { contact: "eve@example.com" }), ANN),
  }
  for (const [what, by] of Object.entries(invalid))
    await refused(t, fixture, "VERIFICATION_TOKEN_INVALID", offer(organizationId, by), what)
  await refused(
    t,
    fixture,
    "VERIFICATION_TOKEN_INVALID",
    offer(organizationId, good, { publicKeyAttestation: "x" }),
  )
  const own = { organizationId }
  const inParent = offer(acme.organizationId, contactKey(fixture, { ...own, contact: "root@acme.example" }))
  await refused(t, fixture, "IDENTITY_UNKNOWN", inParent, "a child's token in its parent")
  for (const contact of ["eve@example.com", "bob@example.com", "a.nn@example.com"])
    await refused(
      t,
      fixture,
      "IDENTITY_UNKNOWN",
      offer(organizationId, contactKey(fixture, { contact })),
      contact,
    )
  const asIdentity = offer(organizationId, good, { scheme: OIDC_SCHEME })
  await refused(t, fixture, "OIDC_TOKEN_INVALID", asIdentity, "under the other scheme")
  const identity = attestedKey(fixture)
  const asContact = offer(organizationId, identity, { scheme: CONTACT_SCHEME })
  await refused(t, fixture, "VERIFICATION_TOKEN_INVALID", asContact, "an ID token under this one")
  const both = { xStamp: stampWith(acme.root, text), xStampAttested: good.stamp(text) }
  await refused(t, fixture, "STAMP_MALFORMED", () => client.offer(text, both), "two stamps")

  t.equal((await logIn(organizationId, good)).organizationId, organizationId, "the unaltered twin")
})

/** The token with another contact in its claims. */
function altered({ key, token }: AttestedKey, contact: string): AttestedKey {
  const [header, payload = "", signature] = token.split(".")
  const claims: object = JSON.parse(Buffer.from(payload, "base64url").toString())
  const text = Buffer.from(JSON.stringify({ ...claims, contact })).toString("base64url")
  return new AttestedKey(key, `${header}.${text}.${signature}`, CONTACT_SCHEME)
}

t.test("A5: a contact's stamp is for logins and votes alone", async (t) => {
  const fixture = await setup(t)
  const { client } = fixture
  const { organizationId, rootUserId, address } = await person(fixture)
  const by = contactKey(fixture)
  const attempts: [string, object][] = [
    ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", signParams(address)],
    ["ACTIVITY_TYPE_UPDATE_USER_EMAIL", { userId: rootUserId, userEmail: "eve@example.com" }],
    ["ACTIVITY_TYPE_OTP_LOGIN_V2", otpLoginParams(fixture)],
  ]
  for (const [type, parameters] of attempts) {
    const body = client.body(type, organizationId, parameters)
    const attack = () => client.offer(body, { xStampAttested: by.stamp(body) })
    await refused(t, fixture, "ATTESTED_STAMP_NOT_ALLOWED", attack, type)
  }
})

t.test("A8: a token opens one session, however it is used, and a restart forgets none", async (t) => {
  const fixture = await setup(t)
  const { client, boundary, acme } = fixture
  const { logIn, offer } = logins(fixture)
  const { organizationId } = await person(fixture)
  const server = await loginServer(fixture, "ACTIVITY_TYPE_OTP_LOGIN_V2")
  const used = (by: AttestedKey, what: string, id = organizationId) =>
    refused(t, fixture, "VERIFICATION_TOKEN_USED", offer(id, by), what)

  const by = contactKey(fixture)
  const body = client.body(LOGIN, organizationId, { publicKey: by.key.publicKeyHex, expirationSeconds: "60" })
  const { decision } = await outcome(client.send(body, by))
  const again = await outcome(client.offer(body, { xStampAttested: by.stamp(body) }))
  t.equal(again.decision?.activityId, decision?.activityId, "until it is acknowledged, the same outcome")
  await client.acknowledge(organizationId, createHash("sha256").update(body).digest("hex"), by.credential)
  const replay = () => client.offer(body, { xStampAttested: by.stamp(body) })
  await refused(t, fixture, "ACTIVITY_REPLAYED", replay)
  await used(by, "another body")
  await used(by, "by the parent's id", acme.organizationId)
  await boundary.restart()
  await used(by, "after a restart")
  boundary.clock.pass(120_000)
  await used(by, "after its session")

  const key = newKey()
  const parameters = otpLoginParams(fixture, key)
  await client.submit(server.key, "ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId, parameters)
  await used(new AttestedKey(key, parameters.verificationToken, CONTACT_SCHEME), "after otp_login")
  const next = newKey()
  const fresh = otpLoginParams(fixture, next)
  await logIn(organizationId, new AttestedKey(next, fresh.verificationToken, CONTACT_SCHEME))
  const late = client.body("ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId, fresh)
  await refused(t, fixture, "VERIFICATION_TOKEN_USED", () => client.offer(late, stampWith(server.key, late)))
  boundary.clock.pass(600_000)
  await refused(t, fixture, "VERIFICATION_TOKEN_INVALID", offer(organizationId, by), "past its expiry")
})

t.test("A8: an unproven, shared or removed contact, or one whose codes are off, opens nothing", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { logIn, offer } = logins(fixture)
  const root = asRoot(fixture)
  await root.submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" })
  await root.submit("UPDATE_USER_EMAIL", { userId: acme.rootUserId, userEmail: ANN })
  const attack = (id: string) => offer(id, contactKey(fixture))
  await refused(
    t,
    fixture,
    "LOGIN_UNPROVEN",
    attack(acme.organizationId),
    "somebody gave the parent her address",
  )
  const ann = await person(fixture)
  await refused(t, fixture, "LOGIN_UNPROVEN", attack(acme.organizationId), "and before she has proven it")
  await root.submit("UPDATE_USER_EMAIL", { userId: acme.rootUserId, userEmail: "root@example.com" })
  await logIn(ann.organizationId)
  t.equal((await logIn(acme.organizationId)).organizationId, ann.organizationId)

  const twin = await person(fixture)
  t.equal((await logIn(acme.organizationId)).organizationId, ann.organizationId, "another one, not proven")
  await logIn(twin.organizationId)
  await refused(t, fixture, "CREDENTIAL_CONFLICT", attack(acme.organizationId), "proven in two")

  const { organizationId } = ann
  const own = (type: string, parameters: object) =>
    client.submit(ann.root, `ACTIVITY_TYPE_${type}`, organizationId, parameters)
  const users = [{ ...userParams("second"), userEmail: "ANN@example.com", apiKeys: [apiKey(newKey())] }]
  const { userIds } = valueOf(await own("CREATE_USERS_V4", { users }), "createUsersResult")
  await refused(t, fixture, "IDENTITY_UNKNOWN", attack(organizationId), "two users have it")
  await own("DELETE_USERS", { userIds })
  await logIn(organizationId)
  await own("UPDATE_USER_EMAIL", { userId: ann.rootUserId, userEmail: "new@example.com" })
  await refused(t, fixture, "IDENTITY_UNKNOWN", attack(organizationId), "the user has it no longer")
  t.equal((await logIn(acme.organizationId)).organizationId, twin.organizationId, "the other one has")
  const plain = (id: string) => offer(id, contactKey(fixture, { isSealed: false }))
  await root.submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_SEALED_OTP_ONLY", value: "" })
  await refused(t, fixture, "OTP_SEALED_ONLY", plain(twin.organizationId), "its code came in clear")
  await logIn(twin.organizationId)
  await client.submit(twin.root, "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE", twin.organizationId, {
    name: "FEATURE_NAME_OTP_EMAIL_AUTH",
  })
  await refused(t, fixture, "OTP_DISABLED", attack(twin.organizationId), "codes are off")
})

async function outcome(sent: ReturnType<Fixture["client"]["send"]>) {
  const answer = await sent
  if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
  return answer.outcome
}
