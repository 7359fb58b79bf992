// What a page of the guides can do with a script: search, copy code, and switch colours. Without it everything can be read.
import { indexOf, searched } from "./ranking.js"

const tools = document.querySelector(".tools")
const dialog = searchDialog()
tools.append(searchButton(), themeSwitch())
for (const block of document.querySelectorAll(".code")) block.append(copyButton(block))
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement
  const isSearch = (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isTyping)
  if (!isSearch) return
  event.preventDefault()
  dialog.open()
})

function element(name, attributes, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

function button(label, act) {
  const made = element("button", { type: "button" }, label)
  made.addEventListener("click", act)
  return made
}

function searchButton() {
  const key = navigator.platform.startsWith("Mac") ? "⌘ K" : "Ctrl K"
  const made = button("Search", () => dialog.open())
  made.append(element("kbd", { "aria-hidden": "true" }, key))
  return made
}

/** The choice wins over the system's until it agrees with it again, as in the dashboard. */
function themeSwitch() {
  const root = document.documentElement
  const system = matchMedia("(prefers-color-scheme: dark)")
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark"
  const label = () => (isDark() ? "Light" : "Dark")
  const made = button(label(), () => {
    const next = isDark() ? "light" : "dark"
    if ((next === "dark") === system.matches) delete root.dataset.theme
    else root.dataset.theme = next
    keep(root.dataset.theme)
    made.textContent = label()
  })
  system.addEventListener("change", () => (made.textContent = label()))
  return made
}

function keep(theme) {
  try {
    if (theme === undefined) localStorage.removeItem("countersign.theme")
    else localStorage.setItem("countersign.theme", theme)
  } catch {
    // The choice is for this page alone.
  }
}

function copyButton(block) {
  const made = button("Copy", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent)
    made.textContent = "Copied"
    setTimeout(() => (made.textContent = "Copy"), 2000)
  })
  return made
}

/** The box of the search. The sections come when it is opened for the first time. */
function searchDialog() {
  const input = element("input", { type: "search", "aria-label": "Search", placeholder: "Search the guides" })
  const state = element("p", { role: "status" })
  const list = element("ul", { class: "found" })
  const box = element("dialog", { class: "search", "aria-label": "Search" }, input, state, list)
  document.body.append(box)
  let loaded
  const show = async () => {
    const text = input.value.trim()
    const index = await (loaded ??= load())
    // A slower answer to an older text is not shown.
    if (text !== input.value.trim()) return
    const results = text === "" ? [] : searched(index, text)
    state.textContent = results.length === 0 && text !== "" ? `No page has "${text}".` : ""
    list.replaceChildren(...results.map(result))
  }
  const fail = (error) => {
    loaded = undefined
    state.textContent = `The search could not be loaded: ${error.message}`
  }
  input.addEventListener("input", () => show().catch(fail))
  box.addEventListener("keydown", (event) => moveIn(event, input, list))
  box.addEventListener("click", (event) => {
    if (event.target === box || event.target.closest("a")) box.close()
  })
  return {
    open() {
      if (!box.open) box.showModal()
      input.select()
      show().catch(fail)
    },
  }
}

async function load() {
  const [{ default: MiniSearch }, reply] = await Promise.all([
    import("./minisearch.js"),
    fetch("/docs/search.json"),
  ])
  if (!reply.ok) throw new Error(`${reply.status}`)
  return indexOf(MiniSearch, await reply.json())
}

function result({ id, page, title, excerpt }) {
  const path = title === page ? [] : [element("small", {}, page)]
  return element(
    "li",
    {},
    element("a", { href: id }, ...path, element("strong", {}, title), element("span", {}, excerpt)),
  )
}

/** Arrows move between the field and the results; Enter in the field opens the first. */
function moveIn(event, input, list) {
  const links = [...list.querySelectorAll("a")]
  const at = links.indexOf(document.activeElement)
  if (event.key === "Enter" && at < 0) links[0]?.click()
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const next = links[at + step] ?? (at + step < 0 ? input : undefined)
  next?.focus()
}
