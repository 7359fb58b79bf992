// Titles of tests and claims carry the id of a promise: docs/THREAT_MODEL.md lists what each id means.
import t from "tap"
import { textOf } from "../docs/markdown.ts"
import { sourcesIn } from "./sources.ts"

const DOCUMENT = "docs/THREAT_MODEL.md"

/** Ids that a list explains: "- `P1`, `P2`: meaning". */
function listedIn(text: string): Set<string> {
  const items = text.split("\n").filter((line) => line.startsWith("- `"))
  return new Set(items.flatMap((item) => item.split(": ")[0]?.match(/[A-Z]\d+/g) ?? []))
}

/** Ids at the beginning of a text's titles, `"A1: refuses …"`. */
function idsOfTitles(text: string): string[] {
  return [...text.matchAll(/["`]([A-Z]\d{1,3}): /g)].map(([, id = ""]) => id)
}

/** Ids of claims, the part before the hyphen of `#### A1-forged`. */
function idsOfClaims(text: string): string[] {
  return [...text.matchAll(/^#### (\S+?)-\S+$/gm)].map(([, id = ""]) => id)
}

function unlisted(place: string, ids: readonly string[], listed: ReadonlySet<string>): string[] {
  return [...new Set(ids)]
    .filter((id) => !listed.has(id))
    .map((id) => `${place}: ${DOCUMENT}#ids has no ${id}`)
}

const text = textOf(DOCUMENT)
const listed = listedIn(text.split(/^### Ids$/m)[1] ?? "")
const tests = sourcesIn("test").filter(({ path }) => path !== "test/architecture/promise-ids.test.ts")

t.test("every id in a test's title and in a claim is listed with its meaning", async (t) => {
  t.ok(listed.size > 20)
  t.strictSame(
    tests.flatMap((source) => unlisted(source.path, idsOfTitles(source.text), listed)),
    [],
  )
  t.strictSame(unlisted(DOCUMENT, idsOfClaims(text), listed), [])
})

t.test("every listed id has a test or a claim with tests", async (t) => {
  const used = new Set([...tests.flatMap((source) => idsOfTitles(source.text)), ...idsOfClaims(text)])
  t.strictSame(
    [...listed].filter((id) => !used.has(id)),
    [],
  )
})

t.test("an id that is not listed is found", async (t) => {
  const list = listedIn("- `A1`: one\n- `P1`, `P2`: proofs")
  t.strictSame([...list], ["A1", "P1", "P2"])
  const title = (id: string) => `t.test("${id}: refuses it", async (t) => {})`
  t.strictSame(unlisted("x", idsOfTitles(title("A1")), list), [])
  t.match(unlisted("x", idsOfTitles(title("A9")), list), [/^x: .* has no A9$/])
  t.match(unlisted("x", idsOfClaims("#### Q1-thing\n"), list), [/has no Q1$/])
})
