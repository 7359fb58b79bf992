import t from "tap"
import { hasAction, renderTemplate } from "../../../../signer/core/messages/template.ts"

const VALUES = {
  OtpCode: "123456",
  AppName: "Acme",
  ExpiresIn: "5 minutes",
  MagicLink: "https://acme.example/123456",
  LogoUrl: "https://acme.example/logo.png",
  variables: { name: "<Ann>", toString: "x" },
}
const render = (template: string, escape = (value: string) => value) =>
  renderTemplate(template, VALUES, escape, "template")
const INVALID = { code: "OTP_MESSAGE_INVALID", field: "template" }

t.test("fills the values and variables of Go's syntax", async (t) => {
  t.equal(render("{{.OtpCode}} {{ .AppName }} {{  .ExpiresIn  }}"), "123456 Acme 5 minutes")
  t.equal(render('Hello {{ index .TemplateVariables "name" }}'), "Hello <Ann>")
  t.equal(render('{{ index .TemplateVariables "nobody" }}'), "", "an absent variable")
  t.equal(render('{{ index .TemplateVariables "constructor" }}'), "", "no inherited one")
  t.equal(render("{{ .MagicLink }} {{ .LogoUrl }}"), `${VALUES.MagicLink} ${VALUES.LogoUrl}`)
  t.equal(
    render("a \n{{- .OtpCode -}} \t b {{ .AppName -}}\nc"),
    "a123456b Acmec",
    "white space that markers cut",
  )
  t.equal(render("a{ {{ .OtpCode }} }b"), "a{ 123456 }b")
  t.equal(render("no action"), "no action")
})

t.test("escapes values and leaves the template as it is", async (t) => {
  const escape = (value: string) => value.replaceAll("<", "&lt;")
  t.equal(render('<b>{{ index .TemplateVariables "name" }}</b>', escape), "<b>&lt;Ann></b>")
})

t.test("a value is not read as a template", async (t) => {
  const values = { ...VALUES, AppName: "{{ .OtpCode }} $& $1" }
  t.equal(
    renderTemplate("{{ .AppName }}", values, (value) => value, "template"),
    "{{ .OtpCode }} $& $1",
  )
})

t.test("refuses every other action, and what is not closed", async (t) => {
  for (const template of [
    "{{ .Other }}",
    "{{ range .X }}{{ end }}",
    "{{ if .OtpCode }}a{{ end }}",
    "{{ printf .OtpCode }}",
    '{{ index .TemplateVariables "a b" }}',
    "{{ index .TemplateVariables name }}",
    "{{}}",
    "{{ .OtpCode",
    ".OtpCode }}",
    "{{ {{ .OtpCode }}",
    "{{-.OtpCode }}",
    "{{ .OtpCode-}}",
  ])
    t.throws(() => render(template), INVALID, template)
})

t.test("a text that becomes too long is refused", async (t) => {
  const variables = { long: "x".repeat(8000) }
  const template = '{{ index .TemplateVariables "long" }}'.repeat(20)
  t.throws(() => renderTemplate(template, { ...VALUES, variables }, (value) => value, "template"), INVALID)
})

t.test("knows whether a template shows the code", async (t) => {
  t.ok(hasAction("a {{- .OtpCode }}", ".OtpCode"))
  t.ok(hasAction("a {{ .MagicLink }}", ".OtpCode", ".MagicLink"))
  t.notOk(hasAction("a .OtpCode {{ .AppName }} {{ .MagicLink }}", ".OtpCode"))
})

t.test("B3: an action that is never closed is refused after one reading, however long it is", async (t) => {
  // The signer reads callers' templates in its one thread. Readings of each remainder would take days.
  for (const filling of [" ", "{{", "{{ ", "- ", "\n-"]) {
    t.throws(() => render(`{{${filling.repeat(100_000)}`), INVALID)
    t.throws(() => render(`{{${filling.repeat(100_000)}x}}`), INVALID)
    t.notOk(hasAction(`{{${filling.repeat(100_000)}`, ".OtpCode"))
  }
})
