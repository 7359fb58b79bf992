import { fromBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordSchema, SessionRecordSchema } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { apiKey, signParams, userParams, valueOf } from "../../../../harness/api-client.ts"
import { Target } from "../../../../harness/credential-target.ts"
import { bundleIn, mailTo } from "../../../../harness/mailed-keys.ts"
import { asking, codes, emailTemplate, MAIL } from "../../../../harness/otp.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { child } from "../../../../harness/sub-organization.ts"
import { demand, givePasskey, PASSKEY } from "../../../../hostile/mfa-fixture.ts"
import { relayed } from "../../../../hostile/relayed.ts"
import { refused, setup } from "../../../../hostile/setup.ts"

const EMAIL_AUTH = { name: "FEATURE_NAME_EMAIL_AUTH" }
const CUSTOM = { emailCustomization: { appName: "Shop" } }

const sessionOf = (outcome: Outcome) =>
  fromBinary(SessionRecordSchema, fromBinary(RecordSchema, outcome.records.at(-1)!).payload)

/** Acme with the feature, and a user with an address. */
async function setUp(t: Test) {
  const fixture = await setup(t)
  const asked = await codes(fixture)
  await asked.submit("SET_ORGANIZATION_FEATURE", { ...EMAIL_AUTH, value: "" })
  const ann = { ...userParams("ann", newKey()), userEmail: MAIL }
  const [annId = ""] = valueOf(
    await asked.submit("CREATE_USERS_V3", { users: [ann] }),
    "createUsersResult",
  ).userIds
  return { fixture, ...asked, annId, target: new Target() }
}

t.test(
  "each version mails a key that only the client opens, and that stamps for the addressee",
  async (t) => {
    const { fixture, submit, annId } = await setUp(t)
    const { client, acme, fakeFetcher } = fixture
    const versions = { EMAIL_AUTH: {}, EMAIL_AUTH_V2: CUSTOM, EMAIL_AUTH_V3: CUSTOM }
    for (const [type, changes] of Object.entries(versions)) {
      const target = new Target()
      const outcome = await submit(type, mailTo(target, { ...changes, email: "ANN@example.com" }))
      const { userId, apiKeyId } = valueOf(outcome, "emailAuthResult")
      t.equal(userId, annId)
      const app = type === "EMAIL_AUTH" ? "Acme" : "Shop"
      const mail = fakeFetcher.messages.at(-1)!
      const text = new RegExp(`^Your sign-in key for ${app}: [A-Za-z0-9]+\n\nIt expires in 15 minutes\\.`)
      t.match(
        mail,
        { channel: "mail", to: MAIL, subject: `Sign in to ${app}`, text },
        "to the address of the document",
      )
      const bundle = bundleIn(mail)
      const key = target.open(bundle)
      t.throws(() => new Target().open(bundle), "nobody else opens it")
      t.match(sessionOf(outcome), {
        userId: annId,
        publicKey: key.publicKeyHex,
        type: CredentialType.EMAIL_AUTH_KEY_P256,
        name: /^Email Auth - 20[0-9-]+T[0-9:.]+Z$/,
        expirationSeconds: 900n,
        openedBy: `contact:email:${annId}`,
      })
      t.match(fromBinary(RecordSchema, outcome.records.at(-1)!), { id: apiKeyId })
      const login = { publicKey: newKey().publicKeyHex }
      await client.submit(key, "ACTIVITY_TYPE_STAMP_LOGIN", acme.organizationId, login)
    }
  },
)

t.test("name, length, sender, picture and link are as asked", async (t) => {
  const { fixture, submit, target } = await setUp(t)
  const logoUrl = "https://acme.example/logo.png"
  const magicLinkTemplate = "https://acme.example/in?key=%s"
  const asked = {
    apiKeyName: "web",
    expirationSeconds: "7200",
    emailCustomization: { appName: "Shop", logoUrl, magicLinkTemplate },
    sendFromEmailAddress: "login@acme.example",
    sendFromEmailSenderName: "Shop",
    replyToEmailAddress: "help@acme.example",
  }
  const outcome = await submit("EMAIL_AUTH_V3", mailTo(target, asked))
  t.match(sessionOf(outcome), { name: "web", expirationSeconds: 7200n })
  const mail = fixture.fakeFetcher.messages.at(-1)!
  const sender = { senderAddress: "login@acme.example", senderName: "Shop", replyTo: "help@acme.example" }
  t.match(mail, { ...sender, html: /src="https:..acme.example.logo.png"/ })
  t.match(mail.text, `https://acme.example/in?key=${bundleIn(mail)}`)
  t.match(mail.text, /It expires in 2 hours\./)
})

t.test("a template is used if the request names it, and not because it is the newest", async (t) => {
  const { fixture, submit, attempt } = await setUp(t)
  const { fakeFetcher } = fixture
  const made = await submit("CREATE_EMAIL_TEMPLATE", emailTemplate({ subject: "Key for {{ .AppName }}" }))
  const { templateId } = valueOf(made, "createEmailTemplateResult")
  await submit("EMAIL_AUTH_V3", mailTo(new Target(), CUSTOM))
  t.match(fakeFetcher.messages.at(-1), { subject: "Sign in to Shop" })
  const named = { emailCustomization: { appName: "Shop", templateId } }
  await submit("EMAIL_AUTH_V3", mailTo(new Target(), named))
  t.match(fakeFetcher.messages.at(-1), {
    subject: "Key for Shop",
    html: /^<p>[1-9A-Za-z]{100,} for Shop<\/p>$/,
  })
  const unknown = { emailCustomization: { appName: "Shop", templateId: fixture.acme.organizationId } }
  t.match(await attempt("EMAIL_AUTH_V3", mailTo(new Target(), unknown)), { code: "RESOURCE_UNKNOWN" })
})

t.test("invalidateExisting ends the user's other sessions", async (t) => {
  const { fixture, submit } = await setUp(t)
  const { client, acme, fakeFetcher, address } = fixture
  const open = async (changes: object = {}) => {
    const target = new Target()
    await submit("EMAIL_AUTH", mailTo(target, changes))
    return target.open(bundleIn(fakeFetcher.messages.at(-1)!))
  }
  const first = await open()
  await open({ invalidateExisting: true })
  const sign = ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address)] as const
  t.equal(await client.refused(first, ...sign), "CREDENTIAL_UNKNOWN")
})

t.test("what cannot be mailed is refused before a key is made", async (t) => {
  const { fixture, attempt, submit, target } = await setUp(t)
  const twins = ["one", "two"].map((name) => ({ ...userParams(name, newKey()), userEmail: "t@example.com" }))
  await submit("CREATE_USERS_V3", { users: twins })
  const cases: [changes: object, code: Parameters<typeof refused>[2]][] = [
    [{ email: "nobody@example.com" }, "RESOURCE_UNKNOWN"],
    [{ email: "t@example.com" }, "CONTACT_AMBIGUOUS"],
    [{ targetPublicKey: `04${"ff".repeat(64)}` }, "TARGET_KEY_INVALID"],
    [{ emailCustomization: { appName: "A\nB" } }, "OTP_MESSAGE_INVALID"],
    [{ emailCustomization: { magicLinkTemplate: "https://%s.example.com" } }, "OTP_MESSAGE_INVALID"],
    [{ sendFromEmailAddress: "nobody" }, "OTP_MESSAGE_INVALID"],
  ]
  for (const [changes, code] of cases)
    await refused(
      t,
      fixture,
      code,
      () => attempt("EMAIL_AUTH", mailTo(target, changes)),
      JSON.stringify(changes),
    )
  t.strictSame(fixture.fakeFetcher.messages, [])
})

t.test(
  "FEATURE_NAME_EMAIL_AUTH switches it, and disableEmailAuth creates a sub-organization without it",
  async (t) => {
    const { fixture, attempt, submit, target } = await setUp(t)
    const { client, acme, boundary } = fixture
    await submit("REMOVE_ORGANIZATION_FEATURE", EMAIL_AUTH)
    await refused(t, fixture, "EMAIL_AUTH_DISABLED", () => attempt("EMAIL_AUTH", mailTo(target)))
    await submit("SET_ORGANIZATION_FEATURE", { ...EMAIL_AUTH, value: "" })
    t.match(await attempt("EMAIL_AUTH", mailTo(target)), { is: "outcome" })
    for (const isDisabled of [false, true]) {
      const key = newKey()
      const user = { userName: "sub", userEmail: "sub@example.com", authenticators: [], oauthProviders: [] }
      const rootUsers = [{ ...user, apiKeys: [apiKey(key)] }]
      const sub = await child(client, acme, { key, rootUsers, ...(isDisabled && { disableEmailAuth: true }) })
      boundary.clock.pass(1)
      const parameters = mailTo(new Target(), { email: "sub@example.com" })
      const body = client.body("ACTIVITY_TYPE_EMAIL_AUTH", sub.organizationId, parameters)
      const wanted = isDisabled ? { is: "refused", code: "EMAIL_AUTH_DISABLED" } : { is: "outcome" }
      t.match(await client.send(body, key), wanted, String(isDisabled))
    }
  },
)

t.test("O2: mails of keys count as codes of their address", async (t) => {
  const { attempt, target } = await setUp(t)
  for (let round = 0; round < 2; round++)
    t.match(await attempt("EMAIL_AUTH", mailTo(target)), { is: "outcome" })
  t.match(await attempt("INIT_OTP_V2", asking()), { is: "outcome" })
  t.match(await attempt("EMAIL_AUTH", mailTo(target)), { code: "OTP_LIMIT_EXCEEDED" })
  t.match(await attempt("INIT_OTP_V2", asking()), { code: "OTP_LIMIT_EXCEEDED" })
})

t.test("a mail that is not taken opens no session, and does not count", async (t) => {
  const { fixture, attempt, target } = await setUp(t)
  fixture.fakeFetcher.deliveryFault = new Error("550")
  for (let round = 0; round < 4; round++)
    await refused(t, fixture, "OTP_DELIVERY_FAILED", () => attempt("EMAIL_AUTH", mailTo(target)))
  fixture.fakeFetcher.deliveryFault = undefined
  t.match(await attempt("EMAIL_AUTH", mailTo(target)), { is: "outcome" })
})

t.test("a mail that is not taken is sent when its body comes again", async (t) => {
  const { fixture, target } = await setUp(t)
  const { fakeFetcher } = fixture
  const mail = relayed(fixture, "EMAIL_AUTH", mailTo(target))
  fakeFetcher.deliveryFault = new Error("550")
  await t.rejects(mail.ask(), { code: "OTP_DELIVERY_FAILED" })
  fakeFetcher.deliveryFault = undefined
  t.match(await mail.send(await mail.ask()), { is: "outcome" })
  t.equal(fakeFetcher.messages.length, 1)
})

t.test("an MFA policy that asks for more than the mail refuses the key", async (t) => {
  const { fixture, attempt, annId, target } = await setUp(t)
  await givePasskey(fixture, annId)
  await demand(fixture, annId, [PASSKEY], { condition: "activity.resource == 'AUTH'" })
  await refused(t, fixture, "LOGIN_MFA_NEEDED", () => attempt("EMAIL_AUTH", mailTo(target)))
  t.strictSame(fixture.fakeFetcher.messages, [])
})
