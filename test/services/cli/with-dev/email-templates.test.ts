// Templates of mails: their commands, and what is shown before one exists.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { commandLine } from "../command-line.ts"
import { devOrganization } from "./shared-dev.ts"

const HTML = "<p>{{ .OtpCode }} opens {{ .AppName }}</p>\n"
const TEXT =
  '{{ .OtpCode }} opens {{ .AppName }}, {{ index .TemplateVariables "name" }}. It ends in {{ .ExpiresIn }}.\n'

t.test("templates of mails", async (t) => {
  const { call, json, directory } = await devOrganization(t)
  const file = (name: string, text: string) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  const html = file("code.html", HTML)
  const text = file("code.txt", TEXT)

  await t.test("files become a template, which is listed, shown and deleted by name", async (t) => {
    const create = [
      "email-template",
      "create",
      "codes",
      "--html",
      html,
      "--text",
      text,
      "--subject",
      "Your code",
    ]
    t.match(JSON.parse((await call(...create, "--dry-run")).out), {
      type: "ACTIVITY_TYPE_CREATE_EMAIL_TEMPLATE",
      parameters: {
        templateName: "codes",
        templateType: "EMAIL_TEMPLATE_TYPE_OTP",
        html: HTML,
        text: TEXT,
        subject: "Your code",
      },
    })
    t.match(await call(...create), { status: 0, out: /^created email template codes [0-9a-f-]{36}$/ })
    t.match(await call("email-template", "list"), {
      status: 0,
      out: /^NAME +SUBJECT +ID\ncodes +Your code +[0-9a-f-]{36}$/,
    })
    t.match(await json("email-template", "show", "cod"), { templateName: "codes", html: HTML, text: TEXT })
  })

  await t.test(
    "a preview of a stored template has a sample code, and its HTML goes to a new file",
    async (t) => {
      const out = join(directory, "preview.html")
      const words = ["email-template", "preview", "codes", "--app-name", "Acme <b>"]
      const variables = ["--template-variables", '{"name":"Ada"}']
      const shown = await call(...words, ...variables, "--out", out)
      t.match(shown, {
        status: 0,
        out: "Subject: Your code\n\n730294 opens Acme <b>, Ada. It ends in 5 minutes.",
        log: /wrote the HTML to .*preview\.html/,
      })
      t.equal(readFileSync(out, "utf8"), "<p>730294 opens Acme &#60;b&#62;</p>\n")
      t.match(await call(...words, "--out", out), { status: 2, log: /exists already; name a new file/ })
      t.match(await json(...words), { subject: "Your code", html: /730294/, text: /730294/ })
      t.match(await call("email-template", "preview", "coeds"), { status: 2, log: /did you mean codes\?/ })
      t.match(await call(...words, "--html", html), { status: 2, log: /give the name codes, or --html/ })
    },
  )

  await t.test("a template in use is not deleted, another one is", async (t) => {
    t.match(await call("proxy", "enable"), { status: 0 })
    t.match(await call("proxy", "update", "--otp-template", "codes"), { status: 0 })
    t.match(await call("email-template", "delete", "cod"), { status: 3 })
    t.match(await call("proxy", "update", "--otp-template", ""), { status: 0 })
    t.match(await call("email-template", "delete", "codes", "--again"), { status: 0 })
    t.strictSame(await json("email-template", "list"), [])
  })
})

t.test(
  "a template that does not exist yet is shown without an API, and refused as the API would",
  async (t) => {
    const COUNTERSIGN_DATA_DIR = t.testdir({
      "code.html": HTML,
      "none.html": "<p>no code</p>",
      "script.html": "<script>{{ .OtpCode }}</script>",
      "loop.html": "{{ range .OtpCode }}",
    })
    const preview = (...words: string[]) =>
      commandLine({ COUNTERSIGN_DATA_DIR }, "email-template", "preview", ...words)
    const path = (name: string) => join(COUNTERSIGN_DATA_DIR, name)
    t.match(await preview("--html", path("code.html")), {
      status: 0,
      out: /^Subject: Sign in to Example App\n\nYour code for Example App: 730294\n/,
      log: /--out FILE\.html/,
    })
    t.match(await preview("--html", path("none.html")), { status: 2, log: /html must show the code/ })
    t.match(await preview("--html", path("script.html")), { status: 2, log: /html has .*script/ })
    t.match(await preview("--html", path("loop.html")), { status: 2, log: /html has an action other than/ })
    t.match(await preview("--html", path("absent.html")), { status: 2, log: /--html: cannot read .*ENOENT/ })
    t.match(await preview("--html", path("code.html"), "--template-variables", "{"), {
      status: 2,
      log: /templateVariables is not strict JSON/,
    })
    t.match(await preview(), { status: 2, log: /name a template of the organization, or give the file/ })
    t.match(await commandLine({}, "email-template", "update", "codes"), {
      status: 2,
      log: /a template is never changed: create another one/,
    })
    t.notOk(existsSync(path("preview.html")))
  },
)
