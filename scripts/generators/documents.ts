import {
  navigation,
  type NavigationGroup,
  type NavigationPage,
  type NavigationSection,
} from "../../services/api/guides/navigation.ts"
import { firstSentenceOf } from "./summary.ts"

/** The list in docs/README.md: every document by reader, with its first sentence. */
export function listOfDocuments(): string {
  return navigation.map(groupText).join("\n\n")
}

function groupText({ text, readers, items }: NavigationGroup): string {
  const lines = items.map((item) => ("items" in item ? sectionLine(item) : pageLine(item)))
  if (text === "Internals") lines.push(`- [Mutation testing](MUTATION.md): ${sentenceOf("MUTATION.md")}`)
  return `## ${text}

For ${readers}.

${lines.join("\n")}`
}

function pageLine({ text, link }: NavigationPage): string {
  const file = fileOf(link)
  return `- [${text}](${file}): ${sentenceOf(file)}`
}

/** A section that has no page about itself is shown by the names of its pages. */
function sectionLine({ text, link, items }: NavigationSection): string {
  if (link.endsWith("/README")) return pageLine({ text, link })
  const names = items.map((item) => `[${item.text}](${fileOf(item.link)})`)
  return `- ${text}: ${names.join(", ")}`
}

/** The file of a page, from docs/. */
function fileOf(link: string): string {
  if (link === "/") return "index.md"
  return link === "/start" ? "../README.md" : `${link.slice(1)}.md`
}

const sentenceOf = (file: string) => firstSentenceOf(file === "../README.md" ? "README.md" : `docs/${file}`)
