import { readFileSync } from "node:fs"
import t from "tap"

t.test("organization as code: the page shows the whole file that its commands apply", (t) => {
  const page = readFileSync("docs/organization-as-code.md", "utf8")
  const [, file = ""] = /config apply (\S+) --yes\n/.exec(page) ?? []
  const shown = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text)
  t.ok(shown.includes(readFileSync(file, "utf8")), `${file} is shown whole`)
  t.end()
})
