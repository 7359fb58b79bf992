import type { GuidePage } from "./guide-pages.ts"
import { slug } from "./slug.ts"

/** A result of the search: the part of a page below one heading. `weight` ranks it. */
export type SearchSection = { id: string; page: string; title: string; text: string; weight: number }

/**
 * Guides come before references, which name every word once: a reader who searches "approve" looks for the tutorial, and finds
 * the option of a command below it.
 */
const WEIGHTS: { readonly [group: string]: number } = {
  Start: 3,
  Concepts: 3,
  Build: 2.5,
  Operate: 1.2,
  Reference: 0.6,
  Internals: 0.4,
}

/** Each claim of the threat model is a section: they would hide its guides. */
const OWN_WEIGHTS: { readonly [address: string]: number } = { "/docs/THREAT_MODEL": 0.4 }

/** Pages for reviewers, which would hide what a user looks for. */
const NOT_SEARCHED = /^docs\/(?:adr|choices)\//

export function isSearched({ file }: GuidePage): boolean {
  return !NOT_SEARCHED.test(file)
}

/** The sections of a page, without the signs of Markdown. */
export function sectionsOf(text: string, { address, text: page, group }: GuidePage): SearchSection[] {
  const weight = OWN_WEIGHTS[address] ?? WEIGHTS[group.text] ?? 1
  const sections: SearchSection[] = []
  let isCode = false
  for (const line of text
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(LINK, "$1")
    .split("\n")) {
    if (line.startsWith("```")) isCode = !isCode
    const [, title] = isCode ? [] : (/^#{1,6} (.+)$/.exec(line) ?? [])
    const last = sections.at(-1)
    if (title !== undefined) {
      const first = last === undefined
      const id = first ? address : `${address}#${unusedAnchor(slug(title), address, sections)}`
      sections.push({ id, page, title: words(title), text: "", weight })
    } else if (last !== undefined && !line.startsWith("```")) last.text += `${words(line)}\n`
  }
  return sections
}

/** The anchor that the page gives a heading. */
function unusedAnchor(anchor: string, address: string, before: readonly SearchSection[]): string {
  const used = new Set(before.map(({ id }) => id))
  let [unused, number] = [anchor, 0]
  while (used.has(`${address}#${unused}`)) unused = `${anchor}-${++number}`
  return unused
}

/** A link or a picture, whose words may go on in the next line. */
const LINK = /!?\[((?:[^[\]]|\[[^\]]*\])*)\]\([^)\s]+\)/g

const words = (line: string): string =>
  line
    .replace(/^[\s|]*[-|:\s]+$|[|`*]/g, " ")
    .replace(/\s+/g, " ")
    .trim()
