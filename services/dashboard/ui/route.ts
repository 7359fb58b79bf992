// The page's address. Every page has a path; the host answers all paths with the same document.
import { signal } from "@preact/signals"

const readRoute = () => ({ path: location.pathname, search: new URLSearchParams(location.search) })

export const route = signal(readRoute())

export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", to)
  else history.pushState(null, "", to)
  route.value = readRoute()
  if (replace) return
  scrollTo(0, 0)
  turn = "coming"
}

/** "none" on the page that was opened first, where Tab begins at the top. */
let turn: "none" | "coming" | "made" = "none"

/** Focuses the heading of a page that was turned to: it says where the user is. Again when data replace a skeleton. */
export function focusArrived(): void {
  if (turn === "coming" || (turn === "made" && document.activeElement === document.body)) {
    focusHeading()
    turn = "made"
  }
}

export function focusHeading(): void {
  document.querySelector<HTMLElement>("#main h1")?.focus({ preventScroll: true })
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
  addEventListener("popstate", () => {
    route.value = readRoute()
    turn = "coming"
  })
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
