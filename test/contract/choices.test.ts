import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { againstDocument } from "./tables/against-document.ts"
import { type OpenPoint, openPoints, ambiguities } from "./tables/open-points.ts"

/** Number of finished roadmap parts: no section may wait for one of them. */
const FINISHED_PARTS = 4
const PARTS = 9
const ROOT = join(import.meta.dirname, "..", "..")
const FOLDER = join(ROOT, "docs", "choices")

/** `document` is absent where the choice departs from no sentence of the document. */
type Section = { id: string; point: string; document?: string; choice: string; reason: string; test: string }

const files = readdirSync(FOLDER).filter((name) => name !== "README.md")
const pages = new Map(files.map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]))
const allSections = () => [...pages.values()].flatMap(readSections)

t.test("every open point of the document has one section", async (t) => {
  const sections = allSections()
  t.strictSame(faultsOfSections(sections, [...openPoints, ...ambiguities]), [])
  t.ok(sections.length >= openPoints.length + ambiguities.length)
})

t.test("every section names a test that exists or the part that brings it", async (t) => {
  t.strictSame(
    allSections().flatMap((section) => faultOfTest(section.test) ?? []),
    [],
  )
})

t.test("each page opens with the choices against the document, and these alone quote it", async (t) => {
  t.strictSame(
    [...pages].flatMap(([name, text]) => faultsOfPage(text).map((fault) => `${name}: ${fault}`)),
    [],
  )
  const quoting = allSections().filter(({ document }) => document !== undefined)
  t.strictSame(quoting.map(({ id }) => id).toSorted(), againstDocument.toSorted())
})

t.test("the README names the page of every id, and lists the choices against the document", async (t) => {
  const text = readFileSync(join(FOLDER, "README.md"), "utf8")
  const [, against = "", table = ""] =
    /^## Choices against the document\n([\s\S]*?)^## The page of an id\n([\s\S]*)$/m.exec(text) ?? []
  const expected = [...pages].flatMap(([name, page]) => readSections(page).map(({ id }) => `${id} ${name}`))
  const rows = [...table.matchAll(/^\| \[(C-\d+)\]\((\S+)#\S+\) \|/gm)]
  t.strictSame(rows.map(([, id, name]) => `${id} ${name}`).toSorted(), expected.toSorted())
  const listed = [...against.matchAll(/^- (C-\d+): /gm)].map(([, id = ""]) => id)
  t.strictSame(listed.toSorted(), againstDocument.toSorted())
  for (const name of files) t.ok(text.includes(`](${name}): `), `${name} is listed`)
})

t.test("notices a choice against the document that does not come first", async (t) => {
  const against = "## Against the document\n\n### C-02 a\n\n**Document.** x\n\n"
  const other = "## Other choices\n\n### C-01 b\n\n**Choice.** y\n"
  t.strictSame(faultsOfPage(`# Page\n\nWords.\n\n${against}${other}`), [])
  t.match(faultsOfPage(`# Page\n\n${other}${against}`), [/headings/])
  t.match(faultsOfPage(`# Page\n\n${against.replace("**Document.** x", "")}${other}`), [
    "C-02 quotes no sentence",
  ])
  t.match(faultsOfPage(`# Page\n\n${against}${other}**Document.** z\n`), ["C-01 quotes the document"])
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
  t.strictSame(faultsOfSections([{ ...good, document: "" }], points), ["C-01 has an empty part"])
  const twice = readSections("### C-01 Identifiers\n\n**Choice.** a\n**Choice.** b\n")
  t.strictSame(twice, [{ id: "C-01", point: "Identifiers", choice: "", reason: "", test: "" }])
  t.strictSame(faultOfTest("`part 9`"), undefined)
  t.match(faultOfTest("`part 10`"), /no part of the roadmap/)
  t.match(faultOfTest("`part 0`"), /no part of the roadmap/)
  t.match(faultOfTest("later"), /names no test/)
  t.match(faultOfTest('test/contract/none.test.ts "x"'), /does not exist/)
  t.match(faultOfTest(`test/contract/choices.test.ts "${["no", "such", "title"].join(" ")}"`), /no title/)
  t.strictSame(faultOfTest('test/contract/choices.test.ts "notices what is wrong with a section"'), undefined)
})

/** Sections `### C-nn point` with the parts **Document.**, **Choice.**, **Reason.** and **Test.** A part given twice is empty. */
function readSections(markdown: string): Section[] {
  const part = (section: string, name: string) => {
    const [, text = "", ...more] = section.split(`**${name}.**`)
    return more.length > 0 ? "" : (text.split(/^\*\*/m)[0]?.trim() ?? "")
  }
  return markdown
    .split(/^##+ /m)
    .filter((section) => section.startsWith("C-"))
    .map((section) => {
      const [, id = "", point = ""] = /^(C-\d+) (.*)$/m.exec(section) ?? []
      const [choice, reason, test] = ["Choice", "Reason", "Test"].map((name) => part(section, name))
      const document = section.includes("**Document.**") ? { document: part(section, "Document") } : {}
      return { id, point, ...document, choice: choice ?? "", reason: reason ?? "", test: test ?? "" }
    })
}

/** The headings of a page, and which of its sections quote the document. */
function faultsOfPage(markdown: string): string[] {
  const headings = [...markdown.matchAll(/^## (.+)$/gm)].map(([, title]) => title).join(", ")
  if (!["Against the document, Other choices", "Against the document", "Other choices"].includes(headings))
    return [`its headings are ${headings}`]
  return markdown.split(/^## /m).flatMap((part) => {
    const isAgainst = part.startsWith("Against the document\n")
    return readSections(part)
      .filter(({ document }) => (document !== undefined) !== isAgainst)
      .map(({ id }) => (isAgainst ? `${id} quotes no sentence` : `${id} quotes the document`))
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
