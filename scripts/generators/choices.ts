import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { slug } from "../../services/api/guides/slug.ts"
import { ROOT } from "../run.ts"

const FOLDER = join(ROOT, "docs", "choices")

type Choice = { id: string; point: string; file: string; isAgainstDocument: boolean }

/** The lists in docs/choices/README.md: the pages, the choices against the document, and the page of each id. */
export function listOfChoices(): string {
  const files = readdirSync(FOLDER).filter((name) => name !== "README.md")
  const choices = files.flatMap(choicesOf).toSorted((a, b) => numberOf(a) - numberOf(b))
  return `## Pages

${files.toSorted().map(pageLine).join("\n")}

## Choices against the document

${choices
  .filter(({ isAgainstDocument }) => isAgainstDocument)
  .map(line)
  .join("\n")}

## The page of an id

| id | point |
|---|---|
${choices.map(row).join("\n")}`
}

function choicesOf(file: string): Choice[] {
  const [, ...parts] = readFileSync(join(FOLDER, file), "utf8").split(/^## /m)
  return parts.flatMap((part) =>
    [...part.matchAll(/^### (C-\d+) (.+)$/gm)].map(([, id = "", point = ""]) => ({
      id,
      point,
      file,
      isAgainstDocument: part.startsWith("Against the document\n"),
    })),
  )
}

/** The page's title and its first sentence. */
function pageLine(file: string): string {
  const [, title = "", sentence = ""] =
    /^# (.+)\n\n([\s\S]+?\.)(?:\s|$)/.exec(readFileSync(join(FOLDER, file), "utf8")) ?? []
  return `- [${title}](${file}): ${sentence.charAt(0).toLowerCase()}${sentence.slice(1, -1)}`
}

const line = (choice: Choice) => `- ${choice.id}: [${choice.point}](${addressOf(choice)})`

const row = (choice: Choice) =>
  `| [${choice.id}](${addressOf(choice)}) | ${choice.point.replaceAll("|", "\\|")} |`

const addressOf = ({ file, id, point }: Choice) => `${file}#${slug(`${id} ${point}`)}`

const numberOf = ({ id }: Choice) => Number(id.slice("C-".length))
