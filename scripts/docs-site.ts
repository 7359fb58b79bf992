// The pages of the documentation site: the files of docs/, with links that work there.
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { ROOT } from "./run.ts"

/** The packages, the navigation and the build of the site. */
export const SITE = join(ROOT, "site")

/**
 * Documents that are not on the site: two lists for developers, of which the navigation is one, and the reference that the API
 * serves itself.
 */
export const NOT_ON_SITE: readonly string[] = ["MUTATION.md", "README.md", "api.md"]

/** README is the page `start`. */
const START = "start.md"

/** Pages that the search of the site leaves out: they are for reviewers, and would hide what a user looks for. */
const NOT_SEARCHED = "choices"

/** Writes the pages into site/pages. */
export async function writePages(): Promise<void> {
  const pages = join(SITE, "pages")
  await rm(pages, { recursive: true, force: true })
  await cp(join(ROOT, "docs"), pages, { recursive: true })
  await cp(join(ROOT, "README.md"), join(pages, START))
  await cp(join(ROOT, "services/dashboard/public/icon.svg"), join(pages, "public/icon.svg"))
  for (const name of NOT_ON_SITE) await rm(join(pages, name))
  const files = await readdir(pages, { recursive: true })
  for (const file of files.filter((name) => name.endsWith(".md"))) {
    const text = await readFile(join(pages, file), "utf8")
    await writeFile(join(pages, file), pageText(text, file))
  }
}

/** A document as a page: `file` is its path below docs/. */
export function pageText(text: string, file: string): string {
  const folder = file.split(sep).slice(0, -1).join("/")
  const blocks = text.split(/^(```[\s\S]*?^```)/m)
  const page = blocks
    .map((part) => (part.startsWith("```") ? part : linked(withoutTags(part), file, folder)))
    .join("")
  return folder === NOT_SEARCHED ? `---\nsearch: false\n---\n\n${page}` : page
}

/** Documents contain no HTML: `<` in their prose is a sign, which the site's generator would read as an element. */
function withoutTags(prose: string): string {
  return prose.replace(/`[^`]*`|<!--[\s\S]*?-->|</g, (part) => (part === "<" ? "&lt;" : part))
}

const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g

function linked(prose: string, file: string, folder: string): string {
  return prose.replace(LINK, (whole, picture: string, words: string, target: string) => {
    if (/^[a-z]+:/.test(target) || target.startsWith("#")) return whole
    const [path = "", anchor] = target.split("#")
    const base = file === START ? ROOT : join(ROOT, "docs", folder)
    // Pictures of docs/ lie beside the pages.
    if (picture !== "") return `![${words}](${relative(join(ROOT, "docs", folder), join(base, path))})`
    const page = pageOf(relative(ROOT, join(base, path)).split(sep).join("/"))
    // The source code is not on the site.
    if (page === undefined) return words
    // A page of the API itself: the site would put it below its own address.
    if (page === REFERENCE) return `<a href="${REFERENCE}" target="_self">${words}</a>`
    return `[${words}](${page}${anchor === undefined ? "" : `#${anchor}`})`
  })
}

const REFERENCE = "/docs/api"

/** Address of a file's page on the site; undefined: it has none. */
function pageOf(path: string): string | undefined {
  if (path === "README.md") return "/start"
  if (path === "docs/README.md") return "/"
  if (path === "docs/api.md") return REFERENCE
  if (path === "docs/adr" || path === "docs/adr/") return "/adr/README"
  const [, page] = /^docs\/(.+)\.md$/.exec(path) ?? []
  return page === undefined || NOT_ON_SITE.includes(`${page}.md`)
    ? undefined
    : `/${page.replace(/^index$/, "")}`
}
