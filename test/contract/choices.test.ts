import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { type OpenPoint, openPoints, ambiguities } from "./tables/open-points.ts"

/** Number of finished roadmap parts: no section may wait for one of them. */
const FINISHED_PARTS = 4
const PARTS = 9
const ROOT = join(import.meta.dirname, "..", "..")

type Section = { id: string; point: string; choice: string; reason: string; test: string }

t.test("every open point of the document has one section", async (t) => {
  const sections = readSections(readFileSync(join(ROOT, "docs", "CHOICES.md"), "utf8"))
  t.strictSame(faultsOfSections(sections, [...openPoints, ...ambiguities]), [])
  t.ok(sections.length >= openPoints.length + ambiguities.length)
})

t.test("every section names a test that exists or the part that brings it", async (t) => {
  const sections = readSections(readFileSync(join(ROOT, "docs", "CHOICES.md"), "utf8"))
  t.strictSame(
    sections.flatMap((section) => faultOfTest(section.test) ?? []),
    [],
  )
})

t.test("the index lists every topic and every section, in the document's order", async (t) => {
  const markdown = readFileSync(join(ROOT, "docs", "CHOICES.md"), "utf8")
  const [, index = "", sections = ""] = /^## Index\n([\s\S]*?)(^## [\s\S]*)$/m.exec(markdown) ?? []
  const listed = [...index.matchAll(/^ *- .*?\[(.+)\]\(#/gm)].map(([, text]) => text)
  const headings = [...sections.matchAll(/^##+ (.+)$/gm)].map(([, text]) => text)
  t.strictSame(listed, headings)
})

t.test("notices what is wrong with a section", async (t) => {
  const good: Section = {
    id: "C-01",
    point: "Identifiers",
    choice: "UUID",
    reason: "clients",
    test: "`part 9`",
  }
  const points: OpenPoint[] = [{ id: "C-01", section: "Resources", words: ["identifiers"] }]
  t.strictSame(faultsOfSections([good], points), [])
  t.strictSame(faultsOfSections([], points), ["C-01 (Resources: identifiers) has no section"])
  t.strictSame(faultsOfSections([good, good], points), ["C-01 has 2 sections"])
  t.strictSame(faultsOfSections([{ ...good, point: "Votes" }], points), ["C-01 does not name identifiers"])
  t.strictSame(faultsOfSections([{ ...good, choice: "" }], points), ["C-01 has an empty part"])
  t.strictSame(faultOfTest("`part 9`"), undefined)
  t.match(faultOfTest("`part 10`"), /no part of the roadmap/)
  t.match(faultOfTest("`part 0`"), /no part of the roadmap/)
  t.match(faultOfTest("later"), /names no test/)
  t.match(faultOfTest('test/contract/none.test.ts "x"'), /does not exist/)
  t.match(faultOfTest(`test/contract/choices.test.ts "${["no", "such", "title"].join(" ")}"`), /no title/)
  t.strictSame(faultOfTest('test/contract/choices.test.ts "notices what is wrong with a section"'), undefined)
})

/** Sections `### C-nn point` with the parts **Choice.**, **Reason.** and **Test.** */
function readSections(markdown: string): Section[] {
  const part = (section: string, name: string) =>
    section.split(`**${name}.**`)[1]?.split(/^\*\*/m)[0]?.trim() ?? ""
  return markdown
    .split(/^##+ /m)
    .filter((section) => section.startsWith("C-"))
    .map((section) => {
      const [, id = "", point = ""] = /^(C-\d+) (.*)$/m.exec(section) ?? []
      const [choice, reason, test] = ["Choice", "Reason", "Test"].map((name) => part(section, name))
      return { id, point, choice: choice ?? "", reason: reason ?? "", test: test ?? "" }
    })
}

function faultsOfSections(sections: readonly Section[], points: readonly OpenPoint[]): string[] {
  const faults: string[] = []
  for (const { id, section: place, words } of points) {
    const section = sections.find((section) => section.id === id)
    if (section === undefined) {
      faults.push(`${id} (${place}: ${words.join(", ")}) has no section`)
      continue
    }
    const missing = words.filter((word) => !section.point.toLowerCase().includes(word.toLowerCase()))
    if (missing.length > 0) faults.push(`${id} does not name ${missing.join(", ")}`)
  }
  for (const id of new Set(sections.map((section) => section.id))) {
    const same = sections.filter((section) => section.id === id)
    if (same.length > 1) faults.push(`${id} has ${same.length} sections`)
  }
  for (const section of sections) {
    if (Object.values(section).some((cell) => cell === "")) faults.push(`${section.id} has an empty part`)
  }
  return faults
}

function faultOfTest(cell: string): string | undefined {
  const planned = /^`part (\d+)`$/.exec(cell)
  if (planned) {
    const part = Number(planned[1])
    if (part < 1 || part > PARTS) return `${cell}: no part of the roadmap`
    return part <= FINISHED_PARTS ? `${cell}: that part is finished, name the test` : undefined
  }
  const named = /^(test\/\S+)(?: "(.+)")?$/.exec(cell)
  if (!named) return `${cell}: names no test and no part`
  const [, path = "", title] = named
  const file = join(ROOT, path)
  if (!existsSync(file)) return `${path}: does not exist`
  if (title === undefined) return statSync(file).isDirectory() ? undefined : `${cell}: names no title`
  // A title may be built from a table; its last word is then the path of an operation in that table.
  const source = readFileSync(file, "utf8")
  if (source.includes(title)) return undefined
  return operationTitles().has(title) && source.includes("operation.path")
    ? undefined
    : `${cell}: no title like this`
}

function operationTitles(): Set<string> {
  const tables = ["submit.ts", "query.ts", "proxy.ts"].map((name) =>
    readFileSync(join(import.meta.dirname, "tables", name), "utf8"),
  )
  return new Set(tables.flatMap((text) => [...text.matchAll(/path: "(\w+)"/g)].map(([, path = ""]) => path)))
}
