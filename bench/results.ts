import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

const RESULTS = join(import.meta.dirname, "RESULTS.md")
/** The folder of raw results. */
export const OUT = join(import.meta.dirname, "out")

/**
 * Prints a family's report and writes its figures to a file of `OUT`. If `isWhole`, the report becomes the section
 * `title` of RESULTS.md, unless the run is discarded.
 */
export async function keepRun(
  family: string,
  { title, text, figures, discarded, isWhole }: KeptRun,
): Promise<void> {
  console.log(text)
  await mkdir(OUT, { recursive: true })
  const file = `${family}-${figures.date.replaceAll(":", "-").slice(0, 19)}.json`
  await writeFile(join(OUT, file), `${JSON.stringify(figures, undefined, 2)}\n`)
  if (discarded !== undefined) console.log(`Discarded: ${discarded}. Nothing was written to RESULTS.md.`)
  else if (isWhole) await keepSection(title, text)
}

export type KeptRun = {
  title: string
  text: string
  /** `date`: the day of the run, ISO 8601. */
  figures: { date: string; plan: object; run: object; verdicts: object }
  /** The reason why the run does not count, if it does not. */
  discarded: string | undefined
  isWhole: boolean
}

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
