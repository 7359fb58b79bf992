import { fromBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordSchema, SessionRecordSchema } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { signParams, userParams, valueOf } from "../../../../harness/api-client.ts"
import { Target } from "../../../../harness/credential-target.ts"
import { asking, codes, MAIL, otherCode, WRONG } from "../../../../harness/otp.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { demand, givePasskey, PASSKEY } from "../../../../hostile/mfa-fixture.ts"
import { refused, setup } from "../../../../hostile/setup.ts"

const PHONE = "+15551234567"
const BY_MAIL = { otpType: "OTP_TYPE_EMAIL", contact: MAIL }
const BY_SMS = { otpType: "OTP_TYPE_SMS", contact: PHONE }
const FULL = {
  is: "refused",
  code: "OTP_LIMIT_EXCEEDED",
  sentence: "Max number of OTPs have been initiated please wait and try again",
}

const sessionOf = (outcome: Outcome) =>
  fromBinary(SessionRecordSchema, fromBinary(RecordSchema, outcome.records.at(-1)!).payload)

/** Organization Acme, in which the root user has a key, and a user with address and number. */
async function setUp(t: Test) {
  const fixture = await setup(t)
  const asked = await codes(fixture)
  const ann = { ...userParams("ann", newKey()), userEmail: "Ann@Example.com", userPhoneNumber: PHONE }
  const created = valueOf(await asked.submit("CREATE_USERS_V3", { users: [ann] }), "createUsersResult")
  const [annId = ""] = created.userIds
  /** Asks for a code, and reads it. */
  const start = async (changes: object = BY_MAIL) => {
    const { otpId } = valueOf(await asked.submit("INIT_OTP_AUTH", changes), "initOtpAuthResult")
    return { otpId, otpCode: fixture.fakeFetcher.newestCode }
  }
  const { targetPublicKey } = new Target()
  return { fixture, ...asked, annId, start, targetPublicKey }
}

t.test("each version sends a code of the form that was asked for", async (t) => {
  const { fixture, submit } = await setUp(t)
  const { fakeFetcher } = fixture
  await submit("INIT_OTP_AUTH", { ...BY_MAIL, emailCustomization: { appName: "Shop" } })
  t.match(fakeFetcher.messages.at(-1), { channel: "mail", to: MAIL, subject: "Sign in to Shop" })
  t.match(fakeFetcher.newestCode, /^[0-9A-Z]{9}$/)
  const second = { ...BY_SMS, otpLength: 6, alphanumeric: false }
  valueOf(await submit("INIT_OTP_AUTH_V2", second), "initOtpAuthResultV2")
  t.match(fakeFetcher.messages.at(-1), { channel: "sms", to: PHONE, text: /^[0-9]{6} is your code for Acme/ })
  const third = { ...BY_MAIL, appName: "Shop", otpLength: 8, expirationSeconds: "120" }
  valueOf(await submit("INIT_OTP_AUTH_V3", third), "initOtpAuthResultV2")
  t.match(fakeFetcher.messages.at(-1), { text: /Shop: [0-9A-Z]{8}\n\nIt expires in 2 minutes/ })
})

t.test("a right code opens a session of the contact's user, sealed to the client", async (t) => {
  const { fixture, submit, start, annId } = await setUp(t)
  const { client, acme } = fixture
  for (const [channel, asked] of Object.entries({ email: BY_MAIL, sms: BY_SMS })) {
    const target = new Target()
    const { targetPublicKey } = target
    const { otpId, otpCode } = await start(asked)
    const typed = { otpId: otpId.toUpperCase(), otpCode: otpCode.toLowerCase(), targetPublicKey }
    const outcome = await submit("OTP_AUTH", { ...typed, apiKeyName: "phone", expirationSeconds: "60" })
    const { userId, apiKeyId, credentialBundle = "" } = valueOf(outcome, "otpAuthResult")
    t.equal(userId, annId)
    const key = target.open(credentialBundle)
    const session = sessionOf(outcome)
    t.match(session, {
      userId: annId,
      name: "phone",
      type: CredentialType.OTP_AUTH_KEY_P256,
      publicKey: key.publicKeyHex,
      expirationSeconds: 60n,
      openedBy: `contact:${channel}:${annId}`,
    })
    t.match(fromBinary(RecordSchema, outcome.records.at(-1)!), { id: apiKeyId })
    const login = { publicKey: newKey().publicKeyHex }
    await client.submit(key, "ACTIVITY_TYPE_STAMP_LOGIN", acme.organizationId, login)
  }
})

t.test("without name and length a session has those of published clients", async (t) => {
  const { submit, start, targetPublicKey } = await setUp(t)
  const outcome = await submit("OTP_AUTH", { ...(await start()), targetPublicKey })
  const named = { name: /^OTP Auth - 20[0-9-]+T[0-9:.]+Z$/, expirationSeconds: 900n }
  t.match(sessionOf(outcome), named)
})

t.test("a code has three attempts, and opens one session", async (t) => {
  const { attempt, start, targetPublicKey } = await setUp(t)
  const [locked, used] = [await start(), await start()]
  const wrong = { ...locked, otpCode: otherCode(locked.otpCode), targetPublicKey }
  for (let round = 0; round < 3; round++) t.match(await attempt("OTP_AUTH", wrong), WRONG)
  t.match(await attempt("OTP_AUTH", { ...locked, targetPublicKey }), WRONG, "the right one, too late")
  t.match(await attempt("OTP_AUTH", { ...used, targetPublicKey }), { is: "outcome" })
  t.match(await attempt("OTP_AUTH", { ...used, targetPublicKey }), WRONG, "a second time")
})

t.test("a code expires", async (t) => {
  const { fixture, attempt, start, targetPublicKey } = await setUp(t)
  const code = await start()
  fixture.boundary.clock.pass(300_000)
  t.match(await attempt("OTP_AUTH", { ...code, targetPublicKey }), WRONG)
})

t.test("O7: codes of init_otp and of init_otp_auth are worth nothing for each other", async (t) => {
  const { attempt, start, startPlain, targetPublicKey } = await setUp(t)
  const verification = await startPlain({ contact: "bob@example.com" })
  t.match(await attempt("OTP_AUTH", { ...verification, targetPublicKey }), WRONG)
  const session = await start()
  t.match(await attempt("VERIFY_OTP", session), WRONG)
  t.match(await attempt("VERIFY_OTP", verification), { is: "outcome" }, "the unaltered twin")
  t.match(await attempt("OTP_AUTH", { ...session, targetPublicKey }), { is: "outcome" }, "the unaltered twin")
})

t.test("O2: codes of both kinds count together", async (t) => {
  const { fixture, attempt, start, startPlain } = await setUp(t)
  await start()
  await startPlain()
  await start()
  t.match(await attempt("INIT_OTP_AUTH", BY_MAIL), FULL)
  t.match(await attempt("INIT_OTP_V2", asking()), FULL)
  t.equal(fixture.fakeFetcher.messages.length, 3)
})

t.test("a contact that no user has, or several have, gets no code", async (t) => {
  const { fixture, attempt, submit } = await setUp(t)
  const twins = ["one", "two"].map((name) => ({ ...userParams(name, newKey()), userEmail: "t@example.com" }))
  await submit("CREATE_USERS_V3", { users: twins })
  const refusals = [
    [{ ...BY_MAIL, contact: "nobody@example.com" }, "RESOURCE_UNKNOWN"],
    [{ ...BY_SMS, contact: "+15557654321" }, "RESOURCE_UNKNOWN"],
    [{ ...BY_MAIL, contact: "T@example.com" }, "CONTACT_AMBIGUOUS"],
    [{ ...BY_MAIL, contact: PHONE }, "OTP_CONTACT_INVALID"],
  ] as const
  for (const [asked, code] of refusals)
    await refused(t, fixture, code, () => attempt("INIT_OTP_AUTH", asked), asked.contact)
  t.strictSame(fixture.fakeFetcher.messages, [])
})

t.test("a contact that changed hands after its code was sent opens its new owner's session", async (t) => {
  const { submit, attempt, start, annId, targetPublicKey } = await setUp(t)
  const [first, second] = [await start(), await start()]
  await submit("UPDATE_USER_EMAIL", { userId: annId, userEmail: "" })
  t.match(await attempt("OTP_AUTH", { ...first, targetPublicKey }), { code: "RESOURCE_UNKNOWN" }, "nobody's")
  const bob = { ...userParams("bob", newKey()), userEmail: MAIL }
  const [bobId] = valueOf(await submit("CREATE_USERS_V3", { users: [bob] }), "createUsersResult").userIds
  const outcome = await submit("OTP_AUTH", { ...second, targetPublicKey })
  t.match(valueOf(outcome, "otpAuthResult"), { userId: bobId })
})

t.test("the features of both channels, and FEATURE_NAME_SEALED_OTP_ONLY, hold for both steps", async (t) => {
  const { fixture, attempt, submit, start, targetPublicKey } = await setUp(t)
  for (const [name, asked] of Object.entries({
    FEATURE_NAME_OTP_EMAIL_AUTH: BY_MAIL,
    FEATURE_NAME_SMS_AUTH: BY_SMS,
  })) {
    const code = await start(asked)
    await submit("REMOVE_ORGANIZATION_FEATURE", { name })
    await refused(t, fixture, "OTP_DISABLED", () => attempt("INIT_OTP_AUTH", asked), name)
    t.match(await attempt("OTP_AUTH", { ...code, targetPublicKey }), { code: "OTP_DISABLED" }, name)
    await submit("SET_ORGANIZATION_FEATURE", { name, value: "" })
  }
  const code = await start()
  await submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_SEALED_OTP_ONLY", value: "" })
  await refused(t, fixture, "OTP_SEALED_ONLY", () => attempt("INIT_OTP_AUTH", BY_MAIL))
  await refused(t, fixture, "OTP_SEALED_ONLY", () => attempt("OTP_AUTH", { ...code, targetPublicKey }))
})

t.test("an MFA policy that asks for more than the code refuses the session", async (t) => {
  const { fixture, attempt, submit, start, annId, targetPublicKey } = await setUp(t)
  const code = await start()
  await givePasskey(fixture, annId)
  const policyId = await demand(fixture, annId, [PASSKEY], { condition: "activity.resource == 'AUTH'" })
  t.match(await attempt("OTP_AUTH", { ...code, targetPublicKey }), { code: "LOGIN_MFA_NEEDED" })
  await submit("DELETE_MFA_POLICY", { userId: annId, mfaPolicyId: policyId })
  t.match(await attempt("OTP_AUTH", { ...(await start()), targetPublicKey }), { is: "outcome" })
})

t.test("a faulty target key is refused before an attempt is made", async (t) => {
  const { fixture, attempt, start, targetPublicKey } = await setUp(t)
  const code = await start()
  const faulty = { ...code, targetPublicKey: `04${"ff".repeat(64)}` }
  for (let round = 0; round < 4; round++)
    await refused(t, fixture, "TARGET_KEY_INVALID", () => attempt("OTP_AUTH", faulty))
  t.match(await attempt("OTP_AUTH", { ...code, targetPublicKey }), { is: "outcome" })
})

t.test("invalidateExisting ends the user's other sessions, and nobody else's", async (t) => {
  const { fixture, submit, start } = await setUp(t)
  const { client, acme, address } = fixture
  const [one, other] = [new Target(), new Target()]
  const open = async (target: Target, changes: object = {}) => {
    const { targetPublicKey } = target
    const outcome = await submit("OTP_AUTH", { ...(await start()), targetPublicKey, ...changes })
    return target.open(valueOf(outcome, "otpAuthResult").credentialBundle ?? "")
  }
  const login = await client.login(acme, acme.root)
  const first = await open(one)
  await open(other, { invalidateExisting: true })
  const sign = ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address)] as const
  t.equal(await client.refused(first, ...sign), "CREDENTIAL_UNKNOWN")
  await client.submit(login.key, ...sign)
})
