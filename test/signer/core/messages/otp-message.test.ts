import fc from "fast-check"
import t from "tap"
import { MAIL_STYLE } from "../../../../signer/core/messages/mail-page.ts"
import { renderOtpMail, renderOtpSms } from "../../../../signer/core/messages/otp-message.ts"
import { requireMailTemplate } from "../../../../signer/core/messages/wording.ts"

const WORDING = {
  appName: "Acme",
  logoUrl: "",
  magicLinkTemplate: "",
  smsTemplate: "",
  templateVariables: {},
}
const TOLD = { code: "AB12CD", lifetimeSeconds: 300 }

t.test("a mail shows the code in both parts, and loads nothing", async (t) => {
  const { subject, text, html } = renderOtpMail(TOLD, WORDING)
  t.equal(subject, "Sign in to Acme")
  t.equal(
    text,
    "Your code for Acme: AB12CD\n\nIt expires in 5 minutes. If you did not ask for it, ignore this mail. Give it to nobody.",
  )
  t.match(html, ">AB12CD</strong>")
  t.notMatch(html, /https?:|<img|<script|<link|url\(/)
})

t.test(
  "a built-in mail has a dark colour for each light one, and a code that one click selects",
  async (t) => {
    const magicLinkTemplate = "https://acme.example/login?code=%s"
    for (const kind of [undefined, "session", "recovery"] as const) {
      const { html } = renderOtpMail({ ...TOLD, ...(kind && { kind }) }, { ...WORDING, magicLinkTemplate })
      const [, sheet = ""] = /<style>([^<]*)<\/style>/.exec(html) ?? []
      t.equal(sheet, MAIL_STYLE, "pages that preview a mail allow this text by its hash")
      const dark = /^:root\{color-scheme:light dark\}@media \(prefers-color-scheme:dark\)\{(.*)\}$/.exec(
        sheet,
      )?.[1]
      const darkened = new Set(
        [...(dark ?? "").matchAll(/\.([a-z-]+)\{[a-z-]+:#[0-9a-f]{6}!important\}/g)].map(([, name]) => name),
      )
      const used = [...html.matchAll(/class="([^"]*)"/g)].flatMap(([, names = ""]) => names.split(" "))
      t.ok(used.length >= 8)
      t.strictSame(
        used.filter((name) => !darkened.has(name)),
        [],
      )
      t.match(html, /user-select:all"><strong[^>]*>AB12CD</)
    }
  },
)

t.test("a picture and a link appear only if the request gives them", async (t) => {
  const logoUrl = "https://acme.example/logo.png?a=1&b=2"
  const magicLinkTemplate = "https://acme.example/login?code=%s"
  const { text, html } = renderOtpMail(TOLD, { ...WORDING, logoUrl, magicLinkTemplate })
  t.match(html, '<img src="https://acme.example/logo.png?a=1&#38;b=2"')
  t.match(html, '<a href="https://acme.example/login?code=AB12CD" ')
  t.match(text, "https://acme.example/login?code=AB12CD")
  t.strictSame(html.match(/https:\/\/[a-z.]+/g), ["https://acme.example", "https://acme.example"])
})

t.test("nothing that a request gives becomes markup", async (t) => {
  const texts = fc.string({ unit: "binary", maxLength: 40 })
  const hostile = fc.constantFrom(
    '"><script>alert(1)</script>',
    "' onerror='x",
    "</p><img src=x>",
    "&lt;b&gt;",
  )
  const property = fc.property(fc.oneof(texts, hostile), fc.oneof(texts, hostile), (name, link) => {
    const appName = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "")
    const wording = {
      ...WORDING,
      appName,
      logoUrl: `https://a.example/${link}`,
      magicLinkTemplate: `https://a.example/${link}`,
    }
    const { html } = renderOtpMail(TOLD, wording)
    const tags = [...html.matchAll(/<\/?([a-z!]+)/gi)].map(([, name]) => name)
    const own = renderOtpMail(TOLD, {
      ...wording,
      appName: "A",
      logoUrl: "https://a.example/",
      magicLinkTemplate: "https://a.example/",
    })
    return tags.join() === [...own.html.matchAll(/<\/?([a-z!]+)/gi)].map(([, name]) => name).join()
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test("a text message is the caller's template, or the built-in one", async (t) => {
  t.equal(renderOtpSms(TOLD, WORDING), "AB12CD is your code for Acme. It expires in 5 minutes.")
  const smsTemplate = "{{.AppName}}: {{- .OtpCode }}, {{ .ExpiresIn }}"
  t.equal(
    renderOtpSms({ ...TOLD, lifetimeSeconds: 61 }, { ...WORDING, smsTemplate }),
    "Acme:AB12CD, 61 seconds",
  )
  t.match(renderOtpSms({ ...TOLD, lifetimeSeconds: 60 }, WORDING), /in 1 minute\.$/)
  t.match(renderOtpSms({ ...TOLD, lifetimeSeconds: 1 }, WORDING), /in 1 second\.$/)
})

const FIELDS = { subject: "subject", html: "html", text: "text" }

t.test("a template replaces subject, HTML and text; values are escaped in HTML alone", async (t) => {
  const mailTemplate = {
    subject: '{{ .AppName }} for {{ index .TemplateVariables "name" }}',
    html: '<p>{{ .OtpCode }} {{ .AppName }} {{ index .TemplateVariables "name" }}</p><a href="{{ .MagicLink }}">a</a>',
    text: "{{ .OtpCode }} {{ .AppName }} {{ .ExpiresIn }}",
  }
  const wording = {
    ...WORDING,
    appName: "A & B",
    magicLinkTemplate: "https://acme.example/%s",
    templateVariables: { name: "<b>Ann</b>" },
    mailTemplate,
  }
  t.strictSame(renderOtpMail(TOLD, wording), {
    subject: "A & B for <b>Ann</b>",
    html: '<p>AB12CD A &#38; B &#60;b&#62;Ann&#60;/b&#62;</p><a href="https://acme.example/AB12CD">a</a>',
    text: "AB12CD A & B 5 minutes",
  })
  const { subject, text } = renderOtpMail(TOLD, {
    ...wording,
    mailTemplate: { ...mailTemplate, subject: "", text: "" },
  })
  t.equal(subject, "Sign in to A & B")
  t.match(text, /^Your code for A & B: AB12CD/)
})

t.test("O6: no value of a variable changes what a mail is", async (t) => {
  const html = '<p style="color:{{ index .TemplateVariables "v" }}">{{ .OtpCode }}</p>'
  const link = '<a href="{{ index .TemplateVariables "v" }}">{{ .OtpCode }}</a>'
  const rendered = (v: string, template: object) =>
    renderOtpMail(TOLD, {
      ...WORDING,
      templateVariables: { v },
      mailTemplate: { subject: "", text: "", html, ...template },
    })
  t.match(rendered("red", {}).html, '<p style="color:red">')
  t.match(rendered("https://acme.example/", { html: link }).html, '<a href="https://acme.example/">')
  const refused = { code: "OTP_MESSAGE_INVALID" }
  for (const v of ["url(https://a.example)", "red&quot; onclick=a"])
    t.throws(() => rendered(v, {}), refused, v)
  for (const v of ["javascript:alert(1)", "data:text/html,a"])
    t.throws(() => rendered(v, { html: link }), refused, v)
  const subject = '{{ index .TemplateVariables "v" }}'
  for (const v of ["a\r\nBcc: eve@example.com", "a\nb", "a\u2028b"])
    t.throws(() => rendered(v, { subject }), refused, "another header")
})

t.test("a template is refused that can never be sent, or does not show the code", async (t) => {
  const template = { subject: "", html: "<p>{{ .OtpCode }}</p>", text: "" }
  t.doesNotThrow(() => requireMailTemplate(template, FIELDS))
  t.doesNotThrow(() => requireMailTemplate({ ...template, html: '<a href="{{ .MagicLink }}">a</a>' }, FIELDS))
  for (const [field, changed] of [
    ["html", { html: "<p>Hello</p>" }],
    ["html", { html: "<script>{{ .OtpCode }}</script>" }],
    ["html", { html: "<p>{{ .OtpCode }}</p>{{ range .X }}" }],
    ["html", { html: '<p>{{ .OtpCode }}</p><img src="https://a.example/{{ .OtpCode }}">' }],
    ["html", { html: '<p>{{ .OtpCode }}</p><img src="{{ .MagicLink }}">' }],
    ["text", { text: "Hello" }],
    ["text", { text: "{{ .OtpCode" }],
    ["subject", { subject: "a\nb" }],
    ["subject", { subject: "{{ .Nobody }}" }],
  ] as const)
    t.throws(
      () => requireMailTemplate({ ...template, ...changed }, FIELDS),
      { code: "OTP_MESSAGE_INVALID", field },
      JSON.stringify(changed),
    )
})
