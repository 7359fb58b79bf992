import {
  navigation,
  type NavigationGroup,
  type NavigationPage,
} from "../../services/api/guides/navigation.ts"
import { summaryOf } from "./summary.ts"

/** docs/public/llms.txt (llmstxt.org): the pages of the site by reader, with title and first sentences, for programs that read. */
export function llmsText(): string {
  const index = summaryOf("docs/index.md")
  return `# ${index.title}

> ${index.summary}

${navigation.map(groupText).join("\n\n")}

## Served by the API

- [Reference](/docs/api): every operation, with its members. For programs: /openapi.json
- [Collection](/docs/collection.json): the operations as requests for Postman and Bruno
- [Errors](/docs/errors): every reason of an error; /docs/errors/REASON with "Accept: application/json" is JSON
`
}

/** The first page is the heading of the file; the reference and its like are listed last, with what the API serves. */
function groupText({ text, items }: NavigationGroup): string {
  const pages = items.flatMap((item) => ("items" in item && text === "Reference" ? item.items : [item]))
  const listed = pages.filter(({ link }) => link !== "/" && link !== "/api")
  return `## ${text}\n\n${listed.map(lineOf).join("\n")}`
}

function lineOf({ link }: NavigationPage): string {
  if (link === "/start") return `- [Start](/docs/start): ${summaryOf("README.md").summary}`
  const { title, summary } = summaryOf(`docs${link}.md`)
  return `- [${title}](/docs${link}): ${summary}`
}
