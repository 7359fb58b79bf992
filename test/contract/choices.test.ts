import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { type OpenPoint, openPoints, thinPlaces } from "./tables/open-points.ts"

/** Parts of the roadmap that are done, or being finished: no row may wait for one of them any more. */
const FINISHED_PARTS = 4
const PARTS = 9
const ROOT = join(import.meta.dirname, "..", "..")

type Row = { id: string; point: string; choice: string; reason: string; test: string }

t.test("every open point of the document has one row", async (t) => {
  const rows = readRows(readFileSync(join(ROOT, "docs", "CHOICES.md"), "utf8"))
  t.strictSame(faultsOfRows(rows, [...openPoints, ...thinPlaces]), [])
  t.ok(rows.length >= openPoints.length + thinPlaces.length)
})

t.test("every row names a test that exists or the part that brings it", async (t) => {
  const rows = readRows(readFileSync(join(ROOT, "docs", "CHOICES.md"), "utf8"))
  t.strictSame(
    rows.flatMap((row) => faultOfTest(row.test) ?? []),
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

t.test("notices what is wrong with a row", async (t) => {
  const good: Row = { id: "C-01", point: "Identifiers", choice: "UUID", reason: "clients", test: "`part 9`" }
  const points: OpenPoint[] = [{ id: "C-01", section: "Resources", words: ["identifiers"] }]
  t.strictSame(faultsOfRows([good], points), [])
  t.strictSame(faultsOfRows([], points), ["C-01 (Resources: identifiers) has no row"])
  t.strictSame(faultsOfRows([good, good], points), ["C-01 has 2 rows"])
  t.strictSame(faultsOfRows([{ ...good, point: "Votes" }], points), ["C-01 does not speak of identifiers"])
  t.strictSame(faultsOfRows([{ ...good, choice: "" }], points), ["C-01 has an empty column"])
  t.strictSame(faultOfTest("`part 9`"), undefined)
  t.match(faultOfTest("`part 10`"), /no part of the roadmap/)
  t.match(faultOfTest("`part 0`"), /no part of the roadmap/)
  t.match(faultOfTest("later"), /names no test/)
  t.match(faultOfTest('test/contract/none.test.ts "x"'), /does not exist/)
  t.match(faultOfTest(`test/contract/choices.test.ts "${["no", "such", "title"].join(" ")}"`), /no title/)
  t.strictSame(faultOfTest('test/contract/choices.test.ts "notices what is wrong with a row"'), undefined)
})

/** Sections `### C-nn point` with the parts **Choice.**, **Reason.** and **Test.** */
function readRows(markdown: string): Row[] {
  const part = (section: string, name: string) =>
    new RegExp(`^\\*\\*${name}\\.\\*\\* (.*)$`, "m").exec(section)?.[1]?.trim() ?? ""
  return markdown
    .split(/^### (?=C-)/m)
    .slice(1)
    .map((section) => {
      const [, id = "", point = ""] = /^(C-\d+) (.*)$/m.exec(section) ?? []
      const [choice, reason, test] = ["Choice", "Reason", "Test"].map((name) => part(section, name))
      return { id, point, choice: choice ?? "", reason: reason ?? "", test: test ?? "" }
    })
}

function faultsOfRows(rows: readonly Row[], points: readonly OpenPoint[]): string[] {
  const faults: string[] = []
  for (const { id, section, words } of points) {
    const row = rows.find((row) => row.id === id)
    if (row === undefined) {
      faults.push(`${id} (${section}: ${words.join(", ")}) has no row`)
      continue
    }
    const missing = words.filter((word) => !row.point.toLowerCase().includes(word.toLowerCase()))
    if (missing.length > 0) faults.push(`${id} does not speak of ${missing.join(", ")}`)
  }
  for (const id of new Set(rows.map((row) => row.id))) {
    const same = rows.filter((row) => row.id === id)
    if (same.length > 1) faults.push(`${id} has ${same.length} rows`)
  }
  for (const row of rows) {
    if (Object.values(row).some((cell) => cell === "")) faults.push(`${row.id} has an empty column`)
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
  // A title may be put together from a table: then its last word, an operation's name, stands in that table.
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
