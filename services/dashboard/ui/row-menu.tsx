// The acts of a table's row: one button, which opens a menu of them.
import { useId, useRef, useState } from "preact/hooks"
import { Icon } from "./icon.tsx"
import { place } from "./place.ts"
import type { Column } from "./table.tsx"

export type Act = {
  verb: string
  act: () => void
  /** True if the act removes something. */
  grave?: boolean
}

/** The last column of a table: a menu for each row that something can be done with. */
export function actsColumn<Row>(
  nameOf: (row: Row) => string,
  actsOf: (row: Row) => readonly Act[],
): Column<Row> {
  return {
    title: "Actions",
    isMenu: true,
    cell: (row) => <RowMenu of={nameOf(row)} acts={actsOf(row)} />,
  }
}

/** @param part.of name of the row */
export function RowMenu({ of, acts }: { of: string; acts: readonly Act[] }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  if (acts.length === 0) return null
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])]
  const onKey = (event: KeyboardEvent) => {
    const to = nextOf(event.key, items())
    if (event.key === "Tab") menu.current?.hidePopover()
    if (to === undefined) return
    event.preventDefault()
    to.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button plain tight"
        aria-label={`Actions for ${of}`}
        title="Actions"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={id}
        popovertarget={id}
      >
        <Icon name="more" />
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        role="menu"
        aria-label={`Actions for ${of}`}
        popover="auto"
        onKeyDown={onKey}
        onToggle={(event) => {
          const isOpen = event.newState === "open"
          setOpen(isOpen)
          if (isOpen && button.current && menu.current) {
            place(menu.current, button.current.getBoundingClientRect(), "right")
            items()[0]?.focus()
          }
        }}
      >
        {acts.map(({ verb, act, grave }) => (
          <button
            key={verb}
            type="button"
            role="menuitem"
            tabIndex={-1}
            class={grave ? "grave" : ""}
            onClick={() => {
              // The focus returns to the row first: a dialog gives it back there.
              menu.current?.hidePopover()
              button.current?.focus()
              act()
            }}
          >
            {verb}
          </button>
        ))}
      </div>
    </>
  )
}

/** The item that a key goes to. */
function nextOf(key: string, items: readonly HTMLElement[]): HTMLElement | undefined {
  const at = items.indexOf(document.activeElement as HTMLElement)
  switch (key) {
    case "ArrowDown":
      return items[(at + 1) % items.length]
    case "ArrowUp":
      return items.at(at <= 0 ? -1 : at - 1)
    case "Home":
      return items[0]
    case "End":
      return items.at(-1)
    default:
      return undefined
  }
}
