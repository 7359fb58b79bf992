// The theme's box of search results calls itself a button and its links options, which screen readers cannot enter. These are a
// dialog and a list of links. test/docs/site.test.ts checks the open box with axe-core.

const BOX = ".VPLocalSearchBox"

/** Corrects the box whenever the theme has drawn it. */
export function correctSearchBox() {
  let inner
  const watch = () => {
    const box = document.querySelector(BOX)
    if (box === null || inner?.box === box) return
    inner?.observer.disconnect()
    const observer = new MutationObserver(() => correct(box))
    inner = { box, observer }
    observer.observe(box, { childList: true, subtree: true })
    correct(box)
  }
  new MutationObserver(watch).observe(document.body, { childList: true })
}

function correct(box) {
  box.setAttribute("role", "dialog")
  box.setAttribute("aria-modal", "true")
  box.setAttribute("aria-label", "Search")
  without(box, "aria-owns", "aria-expanded", "aria-haspopup", "aria-labelledby")
  const input = box.querySelector("input")
  input?.setAttribute("aria-label", "Search")
  if (input) without(input, "aria-labelledby", "aria-autocomplete", "aria-activedescendant", "aria-controls")
  for (const list of box.querySelectorAll("[role=listbox]")) without(list, "role", "aria-labelledby")
  for (const item of box.querySelectorAll("[role=option]")) without(item, "role", "aria-selected")
  for (const key of box.querySelectorAll("kbd[aria-label]")) key.setAttribute("role", "img")
  for (const link of box.querySelectorAll("a[aria-label]")) without(link, "aria-label")
}

function without(element, ...names) {
  for (const name of names) element.removeAttribute(name)
}
