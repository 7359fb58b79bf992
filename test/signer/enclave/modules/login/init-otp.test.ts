import t from "tap"
import { valueOf } from "../../../../harness/api-client.ts"
import { asking, codes, emailTemplate, MAIL } from "../../../../harness/otp.ts"
import { child } from "../../../../harness/sub-organization.ts"
import { addPolicy, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { asRoot, refused, setup } from "../../../../hostile/setup.ts"

const FULL = {
  is: "refused",
  code: "OTP_LIMIT_EXCEEDED",
  sentence: "Max number of OTPs have been initiated please wait and try again",
}

t.test("each version sends a code of the form that was asked for", async (t) => {
  const fixture = await setup(t)
  const { submit } = await codes(fixture)
  const { fakeFetcher } = fixture
  const { appName, ...first } = asking({ otpLength: 6, alphanumeric: false })
  valueOf(await submit("INIT_OTP", { ...first, emailCustomization: { appName } }), "initOtpResult")
  t.match(fakeFetcher.messages.at(-1), { channel: "mail", to: MAIL, subject: "Sign in to Acme" })
  t.match(fakeFetcher.newestCode, /^[0-9]{6}$/)
  const sms = { otpType: "OTP_TYPE_SMS", contact: "+15551234567", appName, otpLength: 8 }
  const smsCustomization = { template: "Acme says {{ .OtpCode }}" }
  valueOf(await submit("INIT_OTP_V2", { ...sms, smsCustomization }), "initOtpResult")
  t.match(fakeFetcher.messages.at(-1), { channel: "sms", text: /^Acme says [0-9A-Z]{8}$/ })
  const { otpEncryptionTargetBundle } = valueOf(await submit("INIT_OTP_V3", sms), "initOtpResultV2")
  const { data } = JSON.parse(otpEncryptionTargetBundle) as { data: string }
  const { organizationId } = fixture.acme
  t.match(JSON.parse(Buffer.from(data, "hex").toString()), { organizationId, userId: "" })
  t.match(fakeFetcher.messages.at(-1), {
    text: /^[0-9A-Z]{8} is your code for Acme\. It expires in 5 minutes\.$/,
  })
})

t.test("without an application's name the organization's stands in the subject", async (t) => {
  const fixture = await setup(t)
  const { submit } = await codes(fixture)
  await submit("INIT_OTP", { otpType: "OTP_TYPE_EMAIL", contact: MAIL })
  t.match(fixture.fakeFetcher.messages.at(-1), { subject: "Sign in to Acme" })
})

t.test("known and unknown contacts get the same reply", async (t) => {
  const fixture = await setup(t)
  const { submit, start } = await codes(fixture)
  const { rootUserId: userId } = fixture.acme
  await submit("UPDATE_USER_EMAIL", { userId, userEmail: MAIL })
  const [known, unknown] = [await start(), await start({ contact: "nobody@example.com" })]
  t.strictSame(Object.keys(known), Object.keys(unknown))
  const dataOf = (bundle: string) => (JSON.parse(bundle) as { data: string }).data
  t.equal(dataOf(known.bundle).length, dataOf(unknown.bundle).length)
  t.equal(fixture.fakeFetcher.messages.length, 2, "both are sent")
})

t.test("a contact has three live codes, however it is spelt, in all organizations of a parent", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { startPlain, submit, attempt } = await codes(fixture)
  const sub = await codes(fixture, await child(client, acme))
  const other = await codes(fixture, await client.createOrganization("Other"))
  const first = await startPlain()
  await startPlain({ contact: "ANN@EXAMPLE.COM" })
  await sub.startPlain({ contact: "Ann@Example.com" })
  for (const contact of [MAIL, "aNN@example.com", "ann@ＥＸＡＭＰＬＥ.com"])
    t.match(await attempt("INIT_OTP_V2", asking({ contact })), FULL, contact)
  t.match(await sub.attempt("INIT_OTP_V3", asking()), FULL, "in a sub-organization")
  t.match(
    await attempt("INIT_OTP_V2", asking({ contact: "an.n@example.com" })),
    { is: "outcome" },
    "another mailbox",
  )
  t.match(await other.attempt("INIT_OTP_V2", asking()), { is: "outcome" }, "another top-level organization")
  await submit("VERIFY_OTP", { otpId: first.otpId, otpCode: first.otpCode })
  t.match(await attempt("INIT_OTP_V2", asking()), { is: "outcome" }, "a used code makes room")
  t.match(await attempt("INIT_OTP_V2", asking()), FULL)
  boundary.clock.pass(300_000)
  t.match(await attempt("INIT_OTP_V2", asking()), { is: "outcome" }, "expired ones too")
})

t.test("a code of a short life counts for five minutes", async (t) => {
  const fixture = await setup(t)
  const { startPlain, attempt } = await codes(fixture)
  for (let round = 0; round < 3; round++) await startPlain({ expirationSeconds: "60" })
  fixture.boundary.clock.pass(290_000)
  t.match(await attempt("INIT_OTP_V2", asking()), FULL)
})

t.test("a new code lasts for a minute at least, in every version that sets a length", async (t) => {
  const fixture = await setup(t)
  const { attempt } = await codes(fixture)
  const { appName, ...first } = asking()
  for (const [type, request] of [
    ["INIT_OTP", first],
    ["INIT_OTP_V2", { ...first, appName }],
    ["INIT_OTP_V3", { ...first, appName }],
    ["INIT_OTP_AUTH_V3", { ...first, appName }],
  ] as const)
    for (const expirationSeconds of ["1", "59"]) {
      const attack = () => attempt(type, { ...request, expirationSeconds })
      await refused(t, fixture, "REQUEST_INVALID", attack, `${type} ${expirationSeconds}`)
      const sentence = new RegExp(
        `^parameters\\.expirationSeconds is ${expirationSeconds}: .* use 60 to 600$`,
      )
      t.match(await attack(), { sentence }, type)
    }
  t.match(await attempt("INIT_OTP_V2", { ...first, appName, expirationSeconds: "60" }), { is: "outcome" })
})

t.test("O2: a contact has sixty unused codes a day", async (t) => {
  const fixture = await setup(t)
  const { startPlain, attempt } = await codes(fixture)
  for (let sent = 0; sent < 60; sent++) {
    if (sent % 3 === 0) fixture.boundary.clock.pass(300_000)
    await startPlain()
  }
  fixture.boundary.clock.pass(300_000)
  t.match(await attempt("INIT_OTP_V2", asking()), FULL)
  fixture.boundary.clock.pass(24 * 3_600_000)
  t.match(await attempt("INIT_OTP_V2", asking()), { is: "outcome" }, "the next day")
})

t.test("a user identifier asks for three codes in three minutes", async (t) => {
  const fixture = await setup(t)
  const { attempt } = await codes(fixture)
  const ask = (contact: string, userIdentifier?: string) =>
    attempt("INIT_OTP_V2", asking({ contact, ...(userIdentifier && { userIdentifier }) }))
  for (const contact of ["a@example.com", "b@example.com", "c@example.com"])
    t.match(await ask(contact, "198.51.100.7"), { is: "outcome" })
  t.match(await ask("d@example.com", "198.51.100.7"), FULL)
  t.match(await ask("d@example.com", "198.51.100.8"), { is: "outcome" }, "another one")
  t.match(await ask("e@example.com"), { is: "outcome" }, "none")
  fixture.boundary.clock.pass(180_000)
  t.match(await ask("d@example.com", "198.51.100.7"), { is: "outcome" }, "three minutes later")
})

t.test("codes are off until the organization sets the channel's feature", async (t) => {
  const fixture = await setup(t)
  const { attempt, submit } = asRoot(fixture)
  const sms = { otpType: "OTP_TYPE_SMS", contact: "+15551234567", appName: "Acme" }
  for (const parameters of [asking(), sms])
    await refused(t, fixture, "OTP_DISABLED", () => attempt("INIT_OTP_V2", parameters))
  await submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" })
  t.match(await attempt("INIT_OTP_V2", asking()), { is: "outcome" })
  t.match(await attempt("INIT_OTP_V2", sms), { code: "OTP_DISABLED" })
  await submit("REMOVE_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_OTP_EMAIL_AUTH" })
  t.match(await attempt("INIT_OTP_V2", asking({ contact: "b@example.com" })), { code: "OTP_DISABLED" })
})

t.test("a sub-organization begins with codes, unless it was created without", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const sub = asRoot({ client, acme: await child(client, acme) })
  t.match(await sub.attempt("INIT_OTP_V2", asking()), { is: "outcome" })
  const off = { disableOtpEmailAuth: true, disableSmsAuth: true, subOrganizationName: "Off" }
  const without = asRoot({ client, acme: await child(client, acme, off) })
  t.match(await without.attempt("INIT_OTP_V2", asking()), { code: "OTP_DISABLED" })
})

t.test(
  "an organization that accepts sealed codes alone refuses those in clear, also for its children",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const parent = await codes(fixture)
    const sub = await codes(fixture, await child(client, acme))
    const open = await parent.startPlain()
    await parent.submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_SEALED_OTP_ONLY", value: "" })
    for (const { attempt } of [parent, sub]) {
      t.match(await attempt("INIT_OTP_V2", asking()), { code: "OTP_SEALED_ONLY" })
      const { appName: _, ...first } = asking()
      t.match(await attempt("INIT_OTP", first), { code: "OTP_SEALED_ONLY" })
      t.match(await attempt("INIT_OTP_V3", asking()), { is: "outcome" }, "the twin")
    }
    t.match(
      await parent.attempt("VERIFY_OTP", open),
      { code: "OTP_SEALED_ONLY" },
      "a code that was sent before",
    )
  },
)

t.test("contacts and wordings that cannot be used are refused before a code is made", async (t) => {
  const fixture = await setup(t)
  const { attempt } = await codes(fixture)
  const mail = (emailCustomization: object) => asking({ emailCustomization })
  const cases: [code: string, parameters: object][] = [
    ["OTP_CONTACT_INVALID", asking({ contact: "ann" })],
    ["OTP_CONTACT_INVALID", asking({ contact: "ann@example.com\r\nBcc: eve@example.com" })],
    ["OTP_CONTACT_INVALID", asking({ contact: "ann@example.com, eve@example.com" })],
    ["OTP_CONTACT_INVALID", asking({ otpType: "OTP_TYPE_SMS" })],
    ["OTP_MESSAGE_INVALID", asking({ appName: "Acme\r\nBcc: eve@example.com" })],
    ["OTP_MESSAGE_INVALID", asking({ appName: " " })],
    ["OTP_MESSAGE_INVALID", mail({ logoUrl: "http://example.com/logo.png" })],
    ["OTP_MESSAGE_INVALID", mail({ magicLinkTemplate: "https://example.com/" })],
    ["OTP_MESSAGE_INVALID", mail({ magicLinkTemplate: "https://%s.example.com/" })],
    ["OTP_MESSAGE_INVALID", mail({ magicLinkTemplate: "javascript:alert('%s')" })],
    ["OTP_MESSAGE_INVALID", mail({ templateVariables: "[]" })],
    ["OTP_MESSAGE_INVALID", mail({ templateVariables: '{"a":1}' })],
    ["RESOURCE_UNKNOWN", mail({ templateId: "welcome" })],
    ["OTP_MESSAGE_INVALID", asking({ smsCustomization: { template: "no code" } })],
    ["OTP_MESSAGE_INVALID", asking({ smsCustomization: { template: "{{.OtpCode}} {{ range .X }}" } })],
  ]
  for (const [code, parameters] of cases)
    await refused(
      t,
      fixture,
      code as never,
      () => attempt("INIT_OTP_V2", parameters),
      JSON.stringify(parameters),
    )
  t.strictSame(fixture.fakeFetcher.messages, [])
  const magicLinkTemplate = "https://example.com/login?code=%s"
  t.match(await attempt("INIT_OTP_V2", mail({ magicLinkTemplate })), { is: "outcome" }, "the twin")
})

t.test("the same body sends one message", async (t) => {
  const fixture = await setup(t)
  await codes(fixture)
  const { client, acme, fakeFetcher } = fixture
  const body = client.body("ACTIVITY_TYPE_INIT_OTP_V3", acme.organizationId, asking())
  const first = await client.send(body, acme.root)
  if (first.is !== "outcome") return t.fail("the first is carried out")
  const again = await client.send(body, acme.root)
  const idOf = (outcome: typeof first.outcome) => valueOf(outcome, "initOtpResultV2").otpId
  t.equal(again.is === "outcome" && idOf(again.outcome), idOf(first.outcome))
  t.equal(fakeFetcher.messages.length, 1)
})

t.test("an activity that waits for votes sends its code when they are complete, once", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, fakeFetcher } = fixture
  const { attempt, submit } = await codes(fixture)
  await addPolicy(fixture, {
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'OTP' && activity.action == 'CREATE'",
    consensus: `approvers.any(user, user.id == '${dan.userId}') && approvers.count() >= 2`,
  })
  const body = client.body("ACTIVITY_TYPE_INIT_OTP_V3", acme.organizationId, asking())
  const waiting = await client.send(body, dan.key)
  t.match(waiting, { is: "outcome", outcome: { status: 5 } })
  t.strictSame(fakeFetcher.messages, [])
  if (waiting.is !== "outcome") return
  const fingerprint = `sha256:${Buffer.from(waiting.outcome.activityFingerprint).toString("hex")}`
  await submit("CREATE_EMAIL_TEMPLATE", emailTemplate())
  t.match(await attempt("APPROVE_ACTIVITY", { fingerprint }), { is: "outcome" })
  t.equal(fakeFetcher.messages.length, 1)
  t.match(fakeFetcher.messages, [{ html: /^<p>[0-9A-Z]{9} for Acme<\/p>$/ }], "the template of that moment")
})

t.test("a message that cannot be delivered is refused, and its code does not count", async (t) => {
  const fixture = await setup(t)
  const { attempt, startPlain } = await codes(fixture)
  const { fakeFetcher } = fixture
  fakeFetcher.deliveryFault = new Error("550 no such user, code was 123456")
  for (let round = 0; round < 4; round++) {
    const answer = await attempt("INIT_OTP_V2", asking())
    t.match(answer, { is: "refused", code: "OTP_DELIVERY_FAILED" })
    t.notMatch(JSON.stringify(answer), "550")
  }
  fakeFetcher.deliveryFault = undefined
  for (let round = 0; round < 3; round++) t.ok(await startPlain())
})
