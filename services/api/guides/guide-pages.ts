import { posix } from "node:path"
import { type NavigationGroup, navigation } from "./navigation.ts"

/** A page of the guides. `file`: its document, from the top of the installation. `address`: its path on this host. */
export type GuidePage = { text: string; address: string; file: string; group: NavigationGroup }

/** Address of the guides. */
export const BASE = "/docs"

/** The reference, which the API writes itself. */
const REFERENCE = `${BASE}/api`

/** The pages in the order of the navigation. */
export const guidePages: readonly GuidePage[] = navigation.flatMap((group) => {
  const pages = group.items.flatMap((item) => ("items" in item ? item.items : [item]))
  return pages
    .map(({ text, link }) => ({ text, address: `${BASE}${link}`, file: fileOf(link), group }))
    .filter(({ address }) => address !== REFERENCE)
})

const BY_FILE = new Map([
  ...guidePages.map(({ file, address }) => [file, address] as const),
  ["docs/README.md", `${BASE}/`],
  ["docs/adr", `${BASE}/adr/README`],
  ["docs/api.md", REFERENCE],
])

/** Where a document's link leads on this host; undefined: to the source code, which has no page. */
export function addressOfLink(target: string, file: string): string | undefined {
  if (/^[a-z]+:/.test(target) || target.startsWith("#")) return target
  const [path = "", anchor] = target.split("#")
  const address = BY_FILE.get(resolved(path, file))
  // The pages of the reference have anchors of their own.
  if (address === undefined || anchor === undefined || address === REFERENCE) return address
  return `${address}#${anchor}`
}

/** A path in a document, from the top of the installation. */
export function resolved(path: string, file: string): string {
  return posix.join(posix.dirname(file), path).replace(/\/$/, "")
}

function fileOf(link: string): string {
  if (link === "/start") return "README.md"
  return link === "/" ? "docs/index.md" : `docs${link}.md`
}
