import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../run.ts"

/** A document's heading and its first paragraph, without marks. */
export function summaryOf(file: string): { title: string; summary: string } {
  const text = readFileSync(join(ROOT, file), "utf8").replace(/<!--[\s\S]*?-->\n*/g, "")
  const [heading = "", first = ""] = text.split("\n\n")
  const summary = first
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim()
  return { title: heading.replace(/^# /, "").trim(), summary }
}

/** The first sentence of a document's first paragraph, up to a colon in it. */
export function firstSentenceOf(file: string): string {
  const { summary } = summaryOf(file)
  return `${/^(.+?)[.:](?:\s|$)/.exec(summary)?.[1] ?? summary}.`
}
