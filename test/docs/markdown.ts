import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { slug } from "../../services/api/guides/slug.ts"

export const ROOT = join(import.meta.dirname, "..", "..")

/** A fenced block: its language, its text, and where it begins. */
export type Block = { file: string; line: number; language: string; text: string }

/** Paths of all documents, from the repository's root. */
export const documents: readonly string[] = [
  ...globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }),
  "examples/README.md",
  "services/api/README.md",
  "signer/README.md",
].toSorted()

export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), "utf8")
}

export function blocksOf(file: string): Block[] {
  const lines = textOf(file).split("\n")
  const blocks: Block[] = []
  let open: Block | undefined
  for (const [index, line] of lines.entries()) {
    const fence = /^```(\w*)\s*$/.exec(line)
    if (fence && open) {
      blocks.push(open)
      open = undefined
    } else if (fence) open = { file, line: index + 1, language: fence[1] ?? "", text: "" }
    else if (open) open.text += `${line}\n`
  }
  return blocks
}

/** The prose: text outside fenced blocks. */
export function proseOf(file: string): string {
  return textOf(file).replace(/^```[\s\S]*?^```$/gm, "")
}

/** Targets of links within the repository, as paths from the top, with their anchors. */
export function linksOf(file: string): { path: string; anchor: string }[] {
  return [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor = ""] = target.split("#")
      return { path: path === "" ? file : join(dirname(file), path), anchor }
    })
}

/** Anchors of a document's headings, as they are made on the usual hosts. */
export function anchorsOf(file: string): string[] {
  return [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => slug(title))
}

const TOP = /^(?:bench|docs|examples|proto|scripts|services|signer|test)\/[\w./*-]*$/

/** Paths of the repository that are named in code spans; `*` stands for anything. */
export function pathsOf(file: string): string[] {
  return [...proseOf(file).matchAll(/`([^`\n]+)`/g)]
    .map(([, span = ""]) => span)
    .filter((span) => TOP.test(span))
}

/** Rows of all tables below a heading (of the whole document where none is named), cell by cell. */
export function rowsOf(file: string, heading?: string): string[][] {
  const prose = proseOf(file)
  const start = heading === undefined ? 0 : prose.indexOf(`\n## ${heading}\n`)
  if (start < 0) return []
  const end = heading === undefined ? -1 : prose.indexOf("\n## ", start + 1)
  return prose
    .slice(start, end < 0 ? undefined : end)
    .split("\n")
    .filter((line) => /^\|(?!\s*-)/.test(line) && !/^\|[\s|:-]*$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    )
}
