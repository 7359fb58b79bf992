// A badge that explains itself: its button shows a sentence, by mouse, by finger and by keyboard.
import type { ComponentChildren } from "preact"
import { useId, useRef, useState } from "preact/hooks"
import type { Tone } from "../words/activity.ts"
import { badgeIcon, Icon, type IconName } from "./icon.tsx"
import { place } from "./place.ts"

export function ExplainedBadge({
  tone = "",
  icon,
  why,
  children,
}: {
  tone?: Tone | "data"
  icon?: IconName
  /** The meaning, in one or two sentences. */
  why: ComponentChildren
  children: ComponentChildren
}) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const note = useRef<HTMLSpanElement>(null)
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`badge explained ${tone}`}
        aria-expanded={open}
        aria-controls={id}
        popovertarget={id}
      >
        <Icon name={icon ?? badgeIcon(tone)} />
        {children}
      </button>
      <span
        ref={note}
        id={id}
        class="menu why"
        role="note"
        popover="auto"
        onToggle={(event) => {
          const isOpen = event.newState === "open"
          setOpen(isOpen)
          if (isOpen && button.current && note.current)
            place(note.current, button.current.getBoundingClientRect(), "left")
        }}
      >
        {why}
      </span>
    </>
  )
}
