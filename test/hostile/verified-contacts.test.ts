// Changes of contacts with a verification token: it verifies the contact that it is for, once.
import t from "tap"
import { OtpType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { VerificationToken } from "../../signer/core/otp/verification-token.ts"
import { documentOf } from "../harness/document.ts"
import { newIdentity } from "../harness/fetcher.ts"
import { newKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { otpLoginParams, verified } from "../harness/verification.ts"
import { asRoot, refused, setup } from "./setup.ts"

const MAIL = "ann@example.com"
const NUMBER = "+15551234567"

async function setUp(t: { teardown(clean: () => Promise<void>): unknown }) {
  const fixture = await setup(t)
  const { client } = fixture
  const sub = await child(client, fixture.acme)
  const { organizationId, rootUserId: userId } = sub
  const { submit, attempt } = asRoot({ client, acme: sub })
  const token = (changes: Partial<VerificationToken> = {}) => verified(fixture, newKey(), changes).compact
  const toNumber = { channel: OtpType.SMS, contact: NUMBER }
  return {
    fixture,
    sub,
    token,
    toNumber,
    submit,
    user: () => documentOf(client, organizationId).users[0],
    mail: (verificationToken?: string, userEmail = MAIL) =>
      attempt("UPDATE_USER_EMAIL", { userId, userEmail, verificationToken }),
    number: (verificationToken?: string, userPhoneNumber = NUMBER) =>
      attempt("UPDATE_USER_PHONE_NUMBER", { userId, userPhoneNumber, verificationToken }),
  }
}

t.test("a token verifies the new contact, and without one it is unverified", async (t) => {
  const { fixture, sub, token, toNumber, user, mail, number } = await setUp(t)
  await mail()
  t.match(user(), { email: MAIL, emailVerified: false })
  await mail(token({ contact: "Ann@Example.com" }))
  t.match(user(), { email: MAIL, emailVerified: true, phoneNumberVerified: false })
  await number(token({ ...toNumber, organizationId: sub.organizationId }))
  t.match(user(), { phoneNumber: NUMBER, emailVerified: true, phoneNumberVerified: true })
  await mail(undefined, "ann@elsewhere.example")
  t.match(user(), { emailVerified: false, phoneNumberVerified: true })
  const key = newKey()
  const login = otpLoginParams(fixture, key, { contact: "ann@elsewhere.example" })
  const { client, acme } = fixture
  t.ok(await client.submit(acme.root, "ACTIVITY_TYPE_OTP_LOGIN_V2", sub.organizationId, login))
})

t.test(
  "A8: no token verifies another contact, channel, organization, deployment or time, nor twice",
  async (t) => {
    const { fixture, token, toNumber, user, mail, number, submit } = await setUp(t)
    const { boundary, fakeFetcher, client, acme } = fixture
    const wrong = {
      "another contact": mail(token({ contact: "bob@example.com" })),
      "no contact": mail(token(), ""),
      "the other channel": mail(token(toNumber)),
      "the other channel's contact": number(token()),
      "another number": number(token({ ...toNumber, contact: "+15551234568" })),
    }
    for (const [what, answer] of Object.entries(wrong))
      await refused(t, fixture, "VERIFICATION_TOKEN_CONTACT_WRONG", () => answer, what)
    const sibling = await child(client, acme)
    const foreign = { ...fixture, fakeFetcher: Object.assign(Object.create(fakeFetcher), newIdentity()) }
    const invalid = {
      "a sibling's token": token({ organizationId: sibling.organizationId }),
      "another deployment's token": verified(foreign, newKey()).compact,
      "an expired token": token({ expiresAtMs: boundary.nowMs() }),
      "no token": "",
    }
    for (const [what, compact] of Object.entries(invalid))
      await refused(t, fixture, "VERIFICATION_TOKEN_INVALID", () => mail(compact), what)
    t.match(user(), { email: "", emailVerified: false, phoneNumber: "" })

    const once = token()
    await mail(once)
    t.match(user(), { emailVerified: true })
    await refused(t, fixture, "VERIFICATION_TOKEN_USED", () => mail(once), "for the same user")
    const { submit: asSibling, attempt } = asRoot({ client, acme: sibling })
    const theirs = { userId: sibling.rootUserId, userEmail: MAIL, verificationToken: once }
    const again = () => attempt("UPDATE_USER_EMAIL", theirs)
    await refused(t, fixture, "VERIFICATION_TOKEN_USED", again, "for a user of a sibling")
    await asSibling("UPDATE_USER_EMAIL", { ...theirs, verificationToken: undefined })
    t.equal(documentOf(client, sibling.organizationId).users[0]?.emailVerified, false)

    await submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_SEALED_OTP_ONLY", value: "" })
    await refused(t, fixture, "OTP_SEALED_ONLY", () => mail(token({ isSealed: false })), "a code in clear")
  },
)

t.test("what remains: who reads an unused token verifies its contact as their own", async (t) => {
  const { fixture, token } = await setUp(t)
  const { client, acme } = fixture
  const eve = await child(client, acme)
  const { submit } = asRoot({ client, acme: eve })
  await submit("UPDATE_USER_EMAIL", { userId: eve.rootUserId, userEmail: MAIL, verificationToken: token() })
  t.match(documentOf(client, eve.organizationId).users[0], { email: MAIL, emailVerified: true })
})
