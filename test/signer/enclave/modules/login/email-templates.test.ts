import t, { type Test } from "tap"
import { withDefaults } from "../../../../../signer/core/auth-proxy/settings.ts"
import { outcomeOf, valueOf } from "../../../../harness/api-client.ts"
import { openedKey, proxyOf } from "../../../../harness/auth-proxy.ts"
import { documentOf } from "../../../../harness/document.ts"
import { asking, codes, emailTemplate, MAIL } from "../../../../harness/otp.ts"
import { child } from "../../../../harness/sub-organization.ts"
import { type Fixture, setup } from "../../../../hostile/setup.ts"

async function started(t: Test) {
  const fixture = await setup(t)
  const root = await codes(fixture)
  const create = async (changes: object = {}) =>
    valueOf(await root.submit("CREATE_EMAIL_TEMPLATE", emailTemplate(changes)), "createEmailTemplateResult")
      .templateId
  let contacts = 0
  const asked = (changes: object) => asking({ contact: `user${contacts++}@example.com`, ...changes })
  const mailOf = async (changes: object = {}, { submit } = root) => {
    await submit("INIT_OTP_V3", asked(changes))
    return fixture.fakeFetcher.messages.at(-1)
  }
  const refuses = async (changes: object, expected: object) =>
    t.match(await root.attempt("INIT_OTP_V3", asked(changes)), { is: "refused", ...expected })
  return { fixture, ...root, create, mailOf, refuses }
}

const html = (text: string) => ({ html: `<p>${text} {{ .OtpCode }}</p>` })
const chosen = (templateId: string, others: object = {}) => ({
  emailCustomization: { templateId, ...others },
})

t.test(
  "a mail has the template that the request names, else the newest, else the built-in text",
  async (t) => {
    const { fixture, create, mailOf, submit, refuses } = await started(t)
    t.match(await mailOf(), { subject: "Sign in to Acme", html: /^<!doctype html>/ })
    const first = await create({ ...html("one"), subject: "{{ .AppName }}: hi", text: "Hi {{ .OtpCode }}" })
    const second = await create(html("two"))
    t.match(await mailOf(), {
      subject: "Sign in to Acme",
      html: /^<p>two [0-9A-Z]{9}<\/p>$/,
      text: /^Your code for Acme/,
    })
    t.match(await mailOf(chosen(first.toUpperCase())), {
      subject: "Acme: hi",
      html: /^<p>one/,
      text: /^Hi [0-9A-Z]{9}$/,
    })
    t.match(await mailOf(chosen("")), { html: /^<!doctype html>/ }, "an empty id")
    await submit("DELETE_EMAIL_TEMPLATE", { templateId: second })
    t.match(await mailOf(), { html: /^<p>one/ }, "the newest that is left")
    await refuses(chosen(second), {
      code: "RESOURCE_UNKNOWN",
      field: "parameters.emailCustomization.templateId",
    })
    const { channel } = (await mailOf({ otpType: "OTP_TYPE_SMS", contact: "+15551234567" })) ?? {}
    t.equal(channel, "sms")
    t.equal(documentOf(fixture.client, fixture.acme.organizationId).emailTemplates.length, 1)
  },
)

t.test("a sub-organization uses the templates of its parent, and has none of its own", async (t) => {
  const { fixture, create, mailOf } = await started(t)
  const sub = await codes(fixture, await child(fixture.client, fixture.acme))
  const templateId = await create(html("parent"))
  t.match(await mailOf({}, sub), { html: /^<p>parent/ })
  t.match(await mailOf(chosen(templateId), sub), { html: /^<p>parent/ })
  t.match(await sub.attempt("CREATE_EMAIL_TEMPLATE", emailTemplate()), {
    is: "refused",
    code: "ACTIVITY_CALLER_INVALID",
  })
})

t.test("pictures, links and variables of a request stand in its template", async (t) => {
  const { create, mailOf, refuses } = await started(t)
  const parts = [
    '<img src="{{ .LogoUrl }}">',
    '<a href="{{ .MagicLink }}">a</a>',
    '{{ index .TemplateVariables "name" }}',
  ]
  const templateId = await create({ html: parts.join("") })
  const given = {
    logoUrl: "https://acme.example/logo.png",
    magicLinkTemplate: "https://acme.example/?code=%s",
    templateVariables: '{"name":"<b>Ann"}',
  }
  t.match(await mailOf(chosen(templateId, given)), {
    html: /^<img src="https:\/\/acme.example\/logo.png"><a href="https:\/\/acme.example\/\?code=[0-9A-Z]{9}">a<\/a>&#60;b&#62;Ann$/,
  })
  const field = "parameters.emailCustomization.magicLinkTemplate"
  await refuses(chosen(templateId), { code: "OTP_MESSAGE_INVALID", field })
})

t.test(
  "a mail that would be too long with the code's validity is refused before a code is made",
  async (t) => {
    const { create, mailOf, refuses } = await started(t)
    const html = `{{ .OtpCode }}${"{{ .ExpiresIn }}".repeat(200)}${'{{ index .TemplateVariables "a" }}'.repeat(16)}`
    const templateId = await create({ html })
    const given = (length: number) => ({
      ...chosen(templateId, { templateVariables: JSON.stringify({ a: "a".repeat(length) }) }),
      expirationSeconds: "599",
    })
    // 200 times "599 seconds", a code of ten characters, and the variables: 128 Ki characters.
    const most = Math.floor((128 * 1024 - 200 * 11 - 10) / 16)
    t.match(await mailOf(given(most)), { channel: "mail" })
    await refuses(given(most + 1), { code: "OTP_MESSAGE_INVALID" })
  },
)

t.test("an organization has at most twenty templates, of known elements", async (t) => {
  const { create, attempt } = await started(t)
  t.match(
    await attempt("CREATE_EMAIL_TEMPLATE", emailTemplate({ html: "<script>{{ .OtpCode }}</script>" })),
    {
      is: "refused",
      code: "OTP_MESSAGE_INVALID",
      field: "parameters.html",
    },
  )
  for (let made = 0; made < 20; made++) await create()
  t.match(await attempt("CREATE_EMAIL_TEMPLATE", emailTemplate()), { is: "refused", code: "LIMIT_EXCEEDED" })
})

/** An enabled proxy, with requests by its key. */
async function proxied(t: Test) {
  const all = await started(t)
  const { fixture, submit } = all
  const { client, acme, boundary, fakeFetcher }: Fixture = fixture
  await submit("ENABLE_AUTH_PROXY", {})
  const document = () => documentOf(client, acme.organizationId)
  const key = openedKey(document())!
  const ask = (parameters: object, type = "INIT_OTP_V3") => {
    boundary.clock.pass(1)
    return client.send(client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, asking(parameters)), key)
  }
  return { ...all, ask, document, message: () => fakeFetcher.messages.at(-1) }
}

t.test(
  "the auth proxy's codes and mails are as the settings say, whatever its request leaves out",
  async (t) => {
    const { create, submit, ask, message, document, fixture } = await proxied(t)
    const [first, second] = [await create(html("one")), await create(html("two"))]
    const settings = {
      otpLength: 8,
      otpAlphanumeric: false,
      otpExpirationSeconds: 60,
      otpTemplateId: first,
      emailCustomizationParams: { appName: "Acme", templateVariables: '{"a":"b"}' },
      smsCustomizationParams: { template: "SMS {{ .OtpCode }}" },
      sendFromEmailAddress: "login@acme.example",
      sendFromEmailSenderName: "Acme login",
      replyToEmailAddress: "help@acme.example",
    }
    await submit("UPDATE_AUTH_PROXY_CONFIG", settings)
    t.match(await ask({}), { is: "outcome" })
    t.match(message(), {
      to: MAIL,
      html: /^<p>one [0-9]{8}<\/p>$/,
      text: /in 1 minute\./,
      senderAddress: "login@acme.example",
      senderName: "Acme login",
      replyTo: "help@acme.example",
    })
    t.match(await ask(chosen(second)), { is: "outcome" })
    t.match(message(), { html: /^<p>two/ }, "a page chooses another template")
    await ask({ otpType: "OTP_TYPE_SMS", contact: "+15551234567" })
    t.match(message(), { text: /^SMS [0-9]{8}$/ })
    const repeated = { otpLength: 8, alphanumeric: false, expirationSeconds: "60", ...chosen(first) }
    t.match(
      await ask({ ...repeated, contact: "bob@example.com" }),
      { is: "outcome" },
      "settings that are repeated",
    )
    t.equal(withDefaults(proxyOf(document()).settings).otpTemplateId, first)
    t.equal(fixture.fakeFetcher.messages.length, 4)
  },
)

t.test("O6: the auth proxy cannot have another code or message than the settings say", async (t) => {
  const { ask, mailOf, fixture } = await proxied(t)
  for (const [member, changes] of [
    ["otpLength", { otpLength: 9 }],
    ["alphanumeric", { alphanumeric: false }],
    ["expirationSeconds", { expirationSeconds: "600" }],
    ["appName", { appName: "Another bank" }],
    ["emailCustomization.logoUrl", { emailCustomization: { logoUrl: "https://eve.example/logo.png" } }],
    [
      "emailCustomization.magicLinkTemplate",
      { emailCustomization: { magicLinkTemplate: "https://eve.example/%s" } },
    ],
    ["emailCustomization.templateVariables", { emailCustomization: { templateVariables: '{"a":"b"}' } }],
    ["smsCustomization.template", { smsCustomization: { template: "Send {{.OtpCode}} to Eve" } }],
    ["sendFromEmailAddress", { sendFromEmailAddress: "login@eve.example" }],
    ["sendFromEmailSenderName", { sendFromEmailSenderName: "Eve" }],
    ["replyToEmailAddress", { replyToEmailAddress: "help@eve.example" }],
  ] as const) {
    const refused = { is: "refused", code: "AUTH_PROXY_SETTING_DIFFERS", field: `parameters.${member}` }
    t.match(await ask(changes), refused, member)
    t.match(await mailOf(changes), fixture.fakeFetcher.messages.at(-1) ?? {}, "the root user may ask for it")
  }
  t.match(await ask({}), { is: "outcome" }, "the unaltered twin")
})

t.test("the auth proxy's tokens live as long as the settings say", async (t) => {
  const { ask, submit, fixture } = await proxied(t)
  const { client, acme, boundary, fakeFetcher } = fixture
  await submit("UPDATE_AUTH_PROXY_CONFIG", { verificationTokenExpirationSeconds: 60 })
  const key = openedKey(documentOf(client, acme.organizationId))!
  const check = async (expiration: object) => {
    const { otpId } = valueOf(outcomeOf(await ask({}, "INIT_OTP_V2")), "initOtpResult")
    boundary.clock.pass(1)
    const parameters = { otpId, otpCode: fakeFetcher.newestCode, ...expiration }
    return client.send(client.body("ACTIVITY_TYPE_VERIFY_OTP", acme.organizationId, parameters), key)
  }
  t.match(await check({ expirationSeconds: "61" }), {
    is: "refused",
    code: "AUTH_PROXY_SETTING_DIFFERS",
    field: "parameters.expirationSeconds",
  })
  for (const expiration of [{ expirationSeconds: "60" }, {}]) {
    const { verificationToken } = valueOf(outcomeOf(await check(expiration)), "verifyOtpResult")
    const [, claims = ""] = verificationToken.split(".")
    const { exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { exp: string }
    const lifetimeMs = Number(exp) - boundary.clock.wallMs()
    t.ok(lifetimeMs > 50_000 && lifetimeMs <= 60_000, String(lifetimeMs))
  }
})

t.test("settings that no message can have are refused when they are set", async (t) => {
  const { create, submit, attempt } = await proxied(t)
  const templateId = await create()
  const unknown = "00000000-0000-4000-8000-000000000000"
  for (const [code, field, settings] of [
    [
      "OTP_MESSAGE_INVALID",
      "emailCustomizationParams.logoUrl",
      { emailCustomizationParams: { logoUrl: "http://a" } },
    ],
    [
      "OTP_MESSAGE_INVALID",
      "emailCustomizationParams.appName",
      { emailCustomizationParams: { appName: "a\nb" } },
    ],
    [
      "OTP_MESSAGE_INVALID",
      "emailCustomizationParams.magicLinkTemplate",
      { emailCustomizationParams: { magicLinkTemplate: "javascript:%s" } },
    ],
    [
      "OTP_MESSAGE_INVALID",
      "emailCustomizationParams.templateVariables",
      { emailCustomizationParams: { templateVariables: "[]" } },
    ],
    [
      "OTP_MESSAGE_INVALID",
      "smsCustomizationParams.template",
      { smsCustomizationParams: { template: "{{.OtpCode}} {{.Nobody}}" } },
    ],
    ["OTP_MESSAGE_INVALID", "sendFromEmailAddress", { sendFromEmailAddress: "a@b.example, c@d.example" }],
    [
      "OTP_MESSAGE_INVALID",
      "replyToEmailAddress",
      { replyToEmailAddress: "a@b.example\r\nBcc: c@d.example" },
    ],
    ["OTP_MESSAGE_INVALID", "sendFromEmailSenderName", { sendFromEmailSenderName: "a\r\nBcc: c@d.example" }],
    ["RESOURCE_UNKNOWN", "otpTemplateId", { otpTemplateId: unknown }],
    [
      "RESOURCE_UNKNOWN",
      "emailCustomizationParams.templateId",
      { emailCustomizationParams: { templateId: unknown } },
    ],
    ["AUTH_PROXY_SETTING_INVALID", "emailAuthTemplateId", { emailAuthTemplateId: templateId }],
  ] as const)
    t.match(
      await attempt("UPDATE_AUTH_PROXY_CONFIG", settings),
      { is: "refused", code, field: `parameters.${field}` },
      field,
    )
  const named = { emailCustomizationParams: { templateId: templateId.toUpperCase() } }
  for (const settings of [{ otpTemplateId: templateId }, { resetMembers: ["otpTemplateId"], ...named }]) {
    await submit("UPDATE_AUTH_PROXY_CONFIG", settings)
    t.match(await attempt("DELETE_EMAIL_TEMPLATE", { templateId }), {
      is: "refused",
      code: "EMAIL_TEMPLATE_IN_USE",
    })
  }
  await submit("UPDATE_AUTH_PROXY_CONFIG", { resetMembers: ["emailCustomizationParams"] })
  t.ok(await submit("DELETE_EMAIL_TEMPLATE", { templateId }))
})
