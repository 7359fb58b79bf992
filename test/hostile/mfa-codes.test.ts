// One-time codes as a factor of MFA: a code that the user read completes what a stolen key cannot.
import t, { type Test } from "tap"
import { OtpType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, signParams } from "../harness/api-client.ts"
import type { AttestedKey } from "../harness/attested.ts"
import { fingerprintOf, newKey, type Stamper, stampBy, stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { contactKey, otpLoginParams } from "../harness/verification.ts"
import { API_KEY, AUTHENTICATORS_NEEDED, COMPLETED, REJECTED, SESSION } from "./mfa-fixture.ts"
import { loginServer } from "./oidc-fixture.ts"
import { refused, setup } from "./setup.ts"

const EMAIL_OTP = { type: "AUTHENTICATION_TYPE_EMAIL_OTP" }
const SMS_OTP = { type: "AUTHENTICATION_TYPE_SMS_OTP" }
const ANN = "ann@example.com"
const PHONE = "+15551234567"

/** A sub-organization whose root user has a key, an address, a number, and an MFA policy of these steps. */
async function setUp(t: Test, steps: object[], condition = "activity.action == 'SIGN'") {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const key = newKey()
  const root = { userName: "root", userEmail: ANN, userPhoneNumber: PHONE, authenticators: [] }
  const rootUsers = [{ ...root, oauthProviders: [], apiKeys: [apiKey(key)] }]
  const ann = await child(client, acme, { key, rootUsers })
  const { organizationId, address, rootUserId: userId } = ann
  const demand = (mfaSteps: object[], parts: object = {}) =>
    client.send(
      client.body("ACTIVITY_TYPE_CREATE_MFA_POLICY", organizationId, {
        userId,
        mfaPolicyName: JSON.stringify([mfaSteps, parts]),
        condition,
        requiredAuthenticationMethods: mfaSteps.map((method) => ({ any: [method] })),
        order: 0,
        ...parts,
      }),
      key,
    )
  t.match(await demand(steps), { is: "outcome" })
  const propose = async (by: Stamper = key) => {
    const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
    t.match(await client.send(body, by), { outcome: { status: AUTHENTICATORS_NEEDED } })
    return body
  }
  const vote = (body: string, type = "APPROVE") =>
    client.body(`ACTIVITY_TYPE_${type}_ACTIVITY`, organizationId, {
      fingerprint: `sha256:${fingerprintOf(body)}`,
    })
  const approve = (body: string, by: Stamper) => client.send(vote(body), by)
  const offer = (body: string, by: Stamper) => {
    const text = vote(body)
    return () => client.offer(text, stampBy(by, text))
  }
  const byMail = (changes: object = {}): AttestedKey => contactKey(fixture, changes)
  const bySms = (): AttestedKey => contactKey(fixture, { channel: OtpType.SMS, contact: PHONE })
  return { fixture, ann, key, demand, propose, vote, approve, offer, byMail, bySms }
}

t.test("a code by mail, and one by text message, complete the steps that ask for them", async (t) => {
  const { propose, approve, byMail, bySms } = await setUp(t, [API_KEY, EMAIL_OTP, SMS_OTP])
  const body = await propose()
  t.match(await approve(body, byMail()), { outcome: { status: AUTHENTICATORS_NEEDED } }, "one is missing")
  t.match(await approve(body, bySms()), { outcome: { status: COMPLETED } })
  const another = await propose()
  t.match(await approve(another, bySms()), { outcome: { status: AUTHENTICATORS_NEEDED } }, "in any order")
  t.match(await approve(another, byMail()), { outcome: { status: COMPLETED } })
})

t.test(
  "A5: a stolen key, its sessions and the parent's keys complete no step that asks for a code",
  async (t) => {
    const { fixture, ann, key, propose, offer, approve, byMail, bySms } = await setUp(t, [API_KEY, EMAIL_OTP])
    const { client, acme } = fixture
    const { organizationId } = ann
    const body = await propose()
    const session = await client.login(ann, key)
    for (const by of [key, session.key])
      await refused(t, fixture, "VOTE_REPEATED", offer(body, by), "the key")
    await refused(t, fixture, "VOTE_REPEATED", offer(body, bySms()), "a code by the other channel")
    const server = await loginServer(fixture, "ACTIVITY_TYPE_OTP_LOGIN_V2")
    for (const by of [server.key, acme.root])
      await refused(t, fixture, "ORGANIZATION_MISMATCH", offer(body, by), "the parent's")
    const eve = { contact: "eve@example.com" }
    await refused(t, fixture, "IDENTITY_UNKNOWN", offer(body, byMail(eve)), "a code that somebody else read")
    const expired = byMail({ expiresAtMs: fixture.boundary.nowMs() })
    await refused(t, fixture, "VERIFICATION_TOKEN_INVALID", offer(body, expired), "an old one")

    const login = otpLoginParams(fixture)
    const opened = client.body("ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId, login)
    t.match(await client.send(opened, server.key), { is: "outcome" })
    t.match(await approve(body, byMail()), { outcome: { status: COMPLETED } }, "the user's own code")
  },
)

t.test("A5: a token votes once, whatever it is about, and a restart forgets none", async (t) => {
  const { fixture, ann, propose, vote, approve, offer, byMail } = await setUp(t, [API_KEY, EMAIL_OTP])
  const { client, boundary } = fixture
  const by = byMail()
  const [first, second] = [await propose(), await propose()]
  t.match(await approve(first, by), { outcome: { status: COMPLETED } })
  await refused(t, fixture, "VERIFICATION_TOKEN_USED", offer(second, by), "another activity")
  t.match(await offer(second, by)(), { sentence: /^this verification token has cast a vote before/ })
  await boundary.restart()
  await refused(t, fixture, "VERIFICATION_TOKEN_USED", offer(second, by), "after a restart")
  const rejection = vote(second, "REJECT")
  const own = byMail()
  t.match(await client.send(rejection, own), { is: "refused", code: "VOTE_REPEATED" }, "of a submitter's own")
  t.match(await approve(second, own), { outcome: { status: COMPLETED } }, "a refused vote spends no token")
  const login = client.body("ACTIVITY_TYPE_STAMP_LOGIN", ann.organizationId, {
    publicKey: own.key.publicKeyHex,
  })
  t.match(await client.send(login, own), { is: "outcome" }, "a login is another use")
})

t.test("A5: a session that a code opened, and the code itself, are one factor", async (t) => {
  const { fixture, ann, propose, approve, offer, byMail, bySms, demand } = await setUp(t, [
    EMAIL_OTP,
    SESSION,
  ])
  const { client } = fixture
  const by = byMail()
  const { organizationId } = ann
  const login = client.body("ACTIVITY_TYPE_STAMP_LOGIN", organizationId, { publicKey: by.key.publicKeyHex })
  t.match(await client.send(login, by), { is: "outcome" })
  const body = await propose(by.key)
  await refused(t, fixture, "VOTE_REPEATED", offer(body, byMail()), "the same mailbox")
  const other = bySms()
  const otherLogin = client.body("ACTIVITY_TYPE_STAMP_LOGIN", organizationId, {
    publicKey: other.key.publicKeyHex,
  })
  t.match(await client.send(otherLogin, other), { is: "outcome" })
  const beside = await propose(other.key)
  t.match(
    await approve(beside, byMail()),
    { outcome: { status: COMPLETED } },
    "beside a session of the number",
  )
  const unmet = await demand([EMAIL_OTP, EMAIL_OTP], { order: 1 })
  t.match(unmet, { is: "refused", code: "MFA_POLICY_UNSATISFIABLE" }, "one mailbox meets one step")
})

t.test(
  "a login waits for a code, and a vote with a code of an address that was changed is void",
  async (t) => {
    const condition = "activity.type == 'ACTIVITY_TYPE_STAMP_LOGIN' || activity.action == 'SIGN'"
    const { fixture, ann, key, propose, approve, offer, byMail, bySms } = await setUp(
      t,
      [API_KEY, EMAIL_OTP, SMS_OTP],
      condition,
    )
    const { client } = fixture
    const { organizationId, rootUserId: userId } = ann
    const publicKey = newKey().publicKeyHex
    const login = client.body("ACTIVITY_TYPE_STAMP_LOGIN", organizationId, { publicKey })
    const by = byMail()
    t.match(await client.send(login, by), { outcome: { status: AUTHENTICATORS_NEEDED } })
    const again = client.body("ACTIVITY_TYPE_STAMP_LOGIN", organizationId, {
      publicKey: newKey().publicKeyHex,
    })
    const attack = () => client.offer(again, { xStampAttested: by.stamp(again) })
    await refused(t, fixture, "VERIFICATION_TOKEN_USED", attack, "a second login that would wait")
    t.match(await approve(login, bySms()), { outcome: { status: AUTHENTICATORS_NEEDED } })
    t.match(await approve(login, key), { outcome: { status: COMPLETED, result: { result: {} } } })

    const body = await propose()
    t.match(await approve(body, byMail()), { outcome: { status: AUTHENTICATORS_NEEDED } })
    const changed = { userId, userEmail: "new@example.com" }
    await client.submit(key, "ACTIVITY_TYPE_UPDATE_USER_EMAIL", organizationId, changed)
    t.match(
      await approve(body, bySms()),
      { outcome: { status: AUTHENTICATORS_NEEDED } },
      "the mail's no longer counts",
    )
    await refused(t, fixture, "IDENTITY_UNKNOWN", offer(body, byMail()), "nor does the old address")
    const fresh = byMail({ contact: "new@example.com" })
    t.match(await approve(body, fresh), { outcome: { status: COMPLETED } })
  },
)

t.test("a code rejects an activity of others, and otp_login keeps to its user's MFA", async (t) => {
  const condition = "activity.resource == 'AUTH'"
  const { fixture, ann, byMail } = await setUp(t, [EMAIL_OTP, SMS_OTP], condition)
  const { client } = fixture
  const { organizationId } = ann
  const server = await loginServer(fixture, "ACTIVITY_TYPE_OTP_LOGIN_V2")
  const login = client.body("ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId, otpLoginParams(fixture))
  await refused(t, fixture, "LOGIN_MFA_NEEDED", () => client.offer(login, stampWith(server.key, login)))
  const dan = await client.user({ ...ann, root: ann.root }, "dan")
  await client.submit(ann.root, "ACTIVITY_TYPE_CREATE_POLICY_V3", organizationId, {
    policyName: "two",
    effect: "EFFECT_ALLOW",
    consensus: "approvers.count() >= 2",
    condition: "activity.action == 'SIGN'",
    notes: "",
  })
  const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(ann.address))
  t.match(await client.send(body, dan.key), { is: "outcome" })
  const fingerprint = `sha256:${fingerprintOf(body)}`
  const no = client.body("ACTIVITY_TYPE_REJECT_ACTIVITY", organizationId, { fingerprint })
  t.match(await client.send(no, byMail()), { outcome: { status: REJECTED } })
})
