// docs/conventions.md: each convention that is met names what shows it, and the counts are those of its tables.
import { existsSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { ROOT, textOf } from "./markdown.ts"

type Row = { section: string; number: string; convention: string; met: string; shown: string }

const text = textOf("docs/conventions.md")

function rowsOf(page: string): Row[] {
  return page
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const section = part.slice(0, part.indexOf("\n"))
      return [...part.matchAll(/^\| (\d\.\d+) \| (.+?) \| (\w+) \| (.+?) \|$/gm)].map(
        ([, number = "", convention = "", met = "", shown = ""]) => ({
          section,
          number,
          convention,
          met,
          shown,
        }),
      )
    })
}

function faultsOf({ number, met, shown }: Row): string[] {
  const named = [...shown.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
  if (met === "no") return named.length === 0 ? [] : [`${number} is not met, and shown`]
  if (met !== "yes") return [`${number} is neither met nor not`]
  if (named.length === 0) return [`${number} is shown by nothing`]
  return named.flatMap((name) => {
    if (name.startsWith("npm ")) return []
    if (!/^test\/.+\.test\.ts$/.test(name)) return [`${number}: ${name} is no test`]
    return existsSync(join(ROOT, name)) ? [] : [`${number}: no ${name}`]
  })
}

const rows = rowsOf(text)

t.test("every convention that is met names tests that exist, or a command", async (t) => {
  t.equal(rows.length, 81)
  t.strictSame(rows.flatMap(faultsOf), [])
  const sections = [...new Set(rows.map(({ section }) => section))]
  t.strictSame(
    rows.map(({ number }) => number),
    sections.flatMap((section, index) =>
      rows.filter((row) => row.section === section).map((_row, place) => `${index + 1}.${place + 1}`),
    ),
    "in order, each once",
  )
})

t.test("the counts are those of the tables, and each convention that is not met has a reason", async (t) => {
  const isMet = ({ met }: Row) => met === "yes"
  t.match(text, `${rows.filter(isMet).length} of ${rows.length} conventions are met.`)
  for (const [section, own] of Map.groupBy(rows, (row) => row.section))
    t.match(text, `| ${section} | ${own.filter(isMet).length} | ${own.length} |`)
  const [, reasons = ""] = /^## Not met\n([^]*)$/m.exec(text) ?? []
  t.strictSame(
    [...reasons.matchAll(/^- (\d\.\d+): \S/gm)].map(([, number]) => number),
    rows.filter((row) => !isMet(row)).map(({ number }) => number),
  )
  t.match(textOf("docs/ASSURANCE.md"), `${rows.filter(isMet).length} of ${rows.length} are met`)
})

t.test("the check reports every fault of a row", async (t) => {
  const fault = (row: Partial<Row>) =>
    faultsOf({
      section: "",
      number: "9.1",
      convention: "",
      met: "yes",
      shown: "`test/docs/conventions.test.ts`",
      ...row,
    })
  t.strictSame(fault({}), [])
  t.strictSame(fault({ shown: "`npm ci && npm start`" }), [])
  t.strictSame(fault({ met: "no", shown: "-" }), [])
  t.strictSame(fault({ met: "no" }), ["9.1 is not met, and shown"])
  t.strictSame(fault({ met: "maybe" }), ["9.1 is neither met nor not"])
  t.strictSame(fault({ shown: "-" }), ["9.1 is shown by nothing"])
  t.strictSame(fault({ shown: "`test/docs/none.test.ts`" }), ["9.1: no test/docs/none.test.ts"])
  t.strictSame(fault({ shown: "`docs/README.md`" }), ["9.1: docs/README.md is no test"])
})
