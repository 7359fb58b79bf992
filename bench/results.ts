import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

const RESULTS = join(import.meta.dirname, "RESULTS.md")

/** Puts a section into RESULTS.md, in place of the one with its title. */
export async function keepSection(title: string, text: string): Promise<void> {
  const known = await readFile(RESULTS, "utf8").catch(() => "")
  await writeFile(RESULTS, replaceSection(known, title, text))
}

/** Sections begin with a heading of the first level; `text` brings its own. */
export function replaceSection(known: string, title: string, text: string): string {
  const sections = known.split(/^(?=# )/m).filter((section) => section.trim() !== "")
  const at = sections.findIndex((section) => section.startsWith(`# ${title}\n`))
  const whole = `${text.trimEnd()}\n`
  if (at === -1) sections.push(whole)
  else sections[at] = whole
  return sections
    .map((section) => section.trimEnd())
    .join("\n\n")
    .concat("\n")
}
