import { readFile, stat } from "node:fs/promises"
import { setImmediate as nextTurn } from "node:timers/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { html } from "../../common/pages/html.ts"
import { type GuideFiles, guideFiles } from "./guide-files.ts"
import { type GuidePage, guidePages } from "./guide-pages.ts"
import { layOut } from "./layout.ts"
import { isSearched, type SearchSection, sectionsOf } from "./search-sections.ts"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))

const BY_ADDRESS = new Map(guidePages.map((page) => [page.address, page]))

export type Guides = {
  /** The page of an address; undefined: the guides have none there. */
  page(address: string): Promise<string | undefined>
  missingPage(): Promise<string>
  /** Sections of all pages as JSON, which the search in the browser loads. */
  searchIndex(): Promise<string>
  files(): Promise<GuideFiles>
}

/**
 * The documents of an installation as pages. A page is rendered when it is first asked for, and again after its file changed.
 * Addresses come from the navigation, so no request names a file of the host.
 */
export function openGuides(root = ROOT): Guides {
  const rendered = new Map<string, { mtimeMs: number; text: Promise<string> }>()
  let index: Promise<string> | undefined
  let files: Promise<GuideFiles> | undefined
  const guides: Guides = {
    async page(address) {
      const page = BY_ADDRESS.get(address)
      if (page === undefined) return undefined
      const { mtimeMs } = await stat(join(root, page.file))
      const kept = rendered.get(address)
      if (kept?.mtimeMs === mtimeMs) return kept.text
      const text = renderPage(root, page, await guides.files())
      rendered.set(address, { mtimeMs, text })
      return text
    },
    async missingPage() {
      const { assets } = await guides.files()
      const body = html`<h1>There is no such page</h1>
<p>The list of all pages is beside this one, and <a href="/docs/">the first page</a> has them by reader.</p>`
      return layOut({ title: "No such page", body, headings: [], page: undefined }, assets)
    },
    searchIndex: () => (index ??= retried(readSections(root), () => (index = undefined))),
    files: () => (files ??= retried(guideFiles(root), () => (files = undefined))),
  }
  return guides
}

async function renderPage(root: string, page: GuidePage, { assets }: GuideFiles): Promise<string> {
  const text = await readFile(join(root, page.file), "utf8")
  // The library is loaded by the first page: most processes never show one.
  const { render } = await import("./render.ts")
  const { body, headings } = await render(text, page.file)
  return layOut({ title: headings[0]?.title ?? page.text, body, headings, page }, assets)
}

/** One document a turn: requests for signatures pass between them. */
async function readSections(root: string): Promise<string> {
  const sections: SearchSection[] = []
  for (const page of guidePages.filter(isSearched)) {
    sections.push(...sectionsOf(await readFile(join(root, page.file), "utf8"), page))
    await nextTurn()
  }
  return JSON.stringify(sections)
}

/** A failure is not kept: the next request tries again. */
async function retried<T>(promise: Promise<T>, forget: () => void): Promise<T> {
  try {
    return await promise
  } catch (error) {
    forget()
    throw error
  }
}
