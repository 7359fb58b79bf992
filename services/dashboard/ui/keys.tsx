// Keys of the whole page. Approve has none on purpose.
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Dialog } from "./dialog.tsx"
import { openPalette, Palette } from "./palette.tsx"

const isHelpOpen = signal(false)

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ["/", "search this page"],
  ["Ctrl K", "go to a page, a user, a wallet, a policy"],
  ["j  k", "next and previous row"],
  ["?", "these keys"],
  ["Esc", "close"],
]

/** Listens to the keys, and shows the palette or the help that they open. */
export function Keys() {
  useEffect(() => {
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])
  return (
    <>
      <Palette />
      {isHelpOpen.value && <Help />}
    </>
  )
}

function onKey(event: KeyboardEvent): void {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    if (document.querySelector("dialog[open]") === null) openPalette()
    return
  }
  if (isTyping(event)) return
  if (event.key === "?") isHelpOpen.value = true
  if (event.key === "j") focusRow(1)
  if (event.key === "k") focusRow(-1)
  if (event.key === "/") {
    event.preventDefault()
    const field = document.querySelector<HTMLElement>("#main input")
    if (field) field.focus()
    else openPalette()
  }
}

/** Focuses the first link or button of the next or the previous row, across all tables of the page. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll("#main tbody tr")]
  const stops = rows.flatMap((row) => row.querySelector<HTMLElement>("a, button") ?? [])
  const at = stops.findIndex((stop) => stop.closest("tr")?.contains(document.activeElement))
  const next = stops[at === -1 ? 0 : at + step]
  next?.focus()
}

/** True if the key belongs to a field, a dialog or a shortcut of the browser. */
function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const element = target as HTMLElement
  return (
    ctrlKey ||
    metaKey ||
    altKey ||
    (element.closest?.("input, select, textarea, dialog, .cm-editor, .editor, [contenteditable]") ?? null) !==
      null
  )
}

function Help() {
  return (
    <Dialog title="Keys" onClose={() => (isHelpOpen.value = false)}>
      <div class="dialog-body">
        <dl class="facts">
          {KEYS.flatMap(([key, what]) => [
            <dt key={key}>
              <kbd>{key}</kbd>
            </dt>,
            <dd key={what}>{what}</dd>,
          ])}
        </dl>
      </div>
    </Dialog>
  )
}
