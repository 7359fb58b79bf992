import t from "tap"
import { slug } from "../../services/api/guides/slug.ts"
import { textOf } from "./markdown.ts"

const MAX_WORDS = 12

t.test("the first page has every claim once, in the document's order, in at most 12 words", async (t) => {
  const text = textOf("docs/THREAT_MODEL.md")
  t.ok(headingsOf(text).length > 100)
  t.strictSame(faultsOfFirstPage(text), [])
})

t.test("the check reports every fault of the first page", async (t) => {
  const page = ["[Strangers](#strangers):", "- [A1-x](#a1-x): One.", "- [A2-y](#a2-y): Two."]
  const faults = (...lines: string[]) =>
    faultsOfFirstPage(
      [
        "# T",
        "## All claims",
        ...lines,
        "## Claims",
        "### Strangers",
        "#### A1-x",
        "#### A2-y",
        "## End",
      ].join("\n"),
    )
  const [group = "", first = "", second = ""] = page
  t.strictSame(faults(group, first, second), [])
  t.match(faults(group, first), ["place 3: expected A2-y, found nothing"])
  t.match(faults(group, first, second, second), ["place 4: expected nothing, found A2-y"])
  t.match(faults(group, second, first), [/expected A1-x, found A2-y/, /expected A2-y, found A1-x/])
  t.match(faults(first, second)[0], /expected Strangers, found A1-x/)
  t.match(faults(group, first, "- [A2-y](#a1-x): Two."), ["A2-y leads to #a1-x"])
  t.match(faults(group, first, `${second}${" word".repeat(MAX_WORDS)}`), ["A2-y has 13 words"])
  t.match(faults(group, first, "- [A2-y](#a2-y):"), ["A2-y has 0 words"])
})

/** Groups and claims below a heading, in order: `### group` and `#### id`. */
function headingsOf(text: string): string[] {
  return [...partOf(text, "Claims").matchAll(/^####? (.+)$/gm)].map(([, title = ""]) => title)
}

function faultsOfFirstPage(text: string): string[] {
  // "[group](#anchor):" or "- [id](#anchor): the claim in short."
  const lines = partOf(text, "All claims").matchAll(/^(- )?\[([^\]]+)\]\(#([^)]*)\):(.*)$/gm)
  const entries = [...lines].map(([, dash, title = "", anchor = "", claim = ""]) => ({
    isClaim: dash !== undefined,
    title,
    anchor,
    words: claim.split(/\s+/).filter((word) => word !== "").length,
  }))
  const headings = headingsOf(text)
  const places = Array.from({ length: Math.max(headings.length, entries.length) }, (_, index) => index)
  return [
    ...places
      .filter((index) => headings[index] !== entries[index]?.title)
      .map(
        (index) =>
          `place ${index + 1}: expected ${headings[index] ?? "nothing"}, found ${entries[index]?.title ?? "nothing"}`,
      ),
    ...entries
      .filter(({ title, anchor }) => anchor !== slug(title))
      .map(({ title, anchor }) => `${title} leads to #${anchor}`),
    ...entries
      .filter(({ isClaim, words }) => words > MAX_WORDS || (isClaim && words === 0))
      .map(({ title, words }) => `${title} has ${words} words`),
  ]
}

/** The text between a heading of the second level and the next. */
function partOf(text: string, heading: string): string {
  const [, part = ""] = text.split(`\n## ${heading}\n`)
  return part.split("\n## ")[0] ?? ""
}
