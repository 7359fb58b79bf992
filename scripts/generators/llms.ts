import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../run.ts"
import { NOT_ON_SITE } from "../docs-site.ts"

/** docs/public/llms.txt (llmstxt.org): every page of the site with its title and the first sentences, for programs that read. */
export function llmsText(): string {
  const names = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"))
  const pages = names.filter((name) => name !== "index.md" && !NOT_ON_SITE.includes(name)).toSorted()
  const formats = readdirSync(join(ROOT, "docs/formats")).toSorted()
  const index = summaryOf("docs/index.md")
  return `# ${index.title}

> ${index.summary}

## Pages

- [Start](/docs/start): ${summaryOf("README.md").summary}
${pages.map(lineOf).join("\n")}

## Formats

${formats.map((name) => lineOf(`formats/${name}`)).join("\n")}

## Served by the API

- [Reference](/docs/api): every operation, with its members. For programs: /openapi.json
- [Collection](/docs/collection.json): the operations as requests for Postman and Bruno
- [Errors](/docs/errors): every reason of an error; /docs/errors/REASON with "Accept: application/json" is JSON
`
}

function lineOf(name: string): string {
  const { title, summary } = summaryOf(`docs/${name}`)
  return `- [${title}](/docs/${name.replace(/\.md$/, "")}): ${summary}`
}

/** A document's heading and its first paragraph, without marks. */
function summaryOf(file: string): { title: string; summary: string } {
  const text = readFileSync(join(ROOT, file), "utf8").replace(/<!--[\s\S]*?-->\n*/g, "")
  const [heading = "", first = ""] = text.split("\n\n")
  const summary = first
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim()
  return { title: heading.replace(/^# /, "").trim(), summary }
}
