// The page's address. Every page has a path; the host answers all paths with the same document.
import { signal } from "@preact/signals"

const readRoute = () => ({ path: location.pathname, search: new URLSearchParams(location.search) })

export const route = signal(readRoute())

export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", to)
  else history.pushState(null, "", to)
  route.value = readRoute()
  scrollTo(0, 0)
}

/** Changes members of the query; undefined removes one. */
export function setSearch(changed: { [name: string]: string | undefined }): void {
  const search = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined || value === "") search.delete(name)
    else search.set(name, value)
  }
  const text = search.toString()
  go(location.pathname + (text === "" ? "" : `?${text}`), { replace: true })
}

/** Follows links within the page. */
export function followLinks(): void {
  addEventListener("popstate", () => (route.value = readRoute()))
  addEventListener("click", (event) => {
    const link = (event.target as Element | null)?.closest?.("a[href]")
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!(link instanceof HTMLAnchorElement) || !isPlain || link.target !== "") return
    if (link.origin !== location.origin || link.hasAttribute("download")) return
    event.preventDefault()
    if (link.pathname === location.pathname && link.hash !== "")
      return document.querySelector<HTMLElement>(link.hash)?.focus()
    go(link.pathname + link.search)
  })
}
