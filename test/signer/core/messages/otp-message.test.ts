import fc from "fast-check"
import t from "tap"
import { renderOtpMail, renderOtpSms } from "../../../../signer/core/messages/otp-message.ts"

const WORDING = { appName: "Acme", logoUrl: "", magicLinkTemplate: "", smsTemplate: "" }
const TOLD = { code: "AB12CD", lifetimeSeconds: 300 }

t.test("a mail shows the code in both parts, and loads nothing", async (t) => {
  const { subject, text, html } = renderOtpMail(TOLD, WORDING)
  t.equal(subject, "Sign in to Acme")
  t.equal(
    text,
    "Your code for Acme: AB12CD\n\nIt expires in 5 minutes. If you did not ask for it, ignore this mail. Give it to nobody.",
  )
  t.match(html, "<strong>AB12CD</strong>")
  t.notMatch(html, /https?:|<img|<script|<link|url\(/)
})

t.test("a picture and a link appear only if the request gives them", async (t) => {
  const logoUrl = "https://acme.example/logo.png?a=1&b=2"
  const magicLinkTemplate = "https://acme.example/login?code=%s"
  const { text, html } = renderOtpMail(TOLD, { ...WORDING, logoUrl, magicLinkTemplate })
  t.match(html, '<img src="https://acme.example/logo.png?a=1&#38;b=2"')
  t.match(html, '<a href="https://acme.example/login?code=AB12CD">')
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
  const property = fc.property(fc.oneof(texts, hostile), fc.oneof(texts, hostile), (appName, link) => {
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
    "Acme: AB12CD, 61 seconds",
  )
  t.match(renderOtpSms({ ...TOLD, lifetimeSeconds: 60 }, WORDING), /in 1 minute\.$/)
  t.match(renderOtpSms({ ...TOLD, lifetimeSeconds: 1 }, WORDING), /in 1 second\.$/)
})
