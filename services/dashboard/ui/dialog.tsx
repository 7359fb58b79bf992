import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { Icon } from "./icon.tsx"
import { focusHeading } from "./route.ts"

const FIELD = ":is(input, select, textarea):not(:disabled)"

/**
 * A modal dialog: the browser's own, which keeps the focus and closes on Escape. The focus goes to its first field, else to the
 * dialog, whose name a screen reader says then. It returns where it was, or to the page's heading if that has gone.
 */
export function Dialog(part: {
  title: string
  onClose: () => void
  children: ComponentChildren
  foot?: ComponentChildren
  kind?: string
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  // The next step of a change replaces this dialog by another one: only the browser's own closing ends the change.
  const isReplaced = useRef(false)
  useLayoutEffect(() => {
    const [before, own] = [document.activeElement, dialog.current]
    own?.showModal()
    ;(own?.querySelector<HTMLElement>(FIELD) ?? own)?.focus()
    return () => {
      isReplaced.current = true
      own?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
      else focusHeading()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={part.kind ?? ""}
      tabIndex={-1}
      aria-label={part.title}
      onClose={() => isReplaced.current || part.onClose()}
    >
      {part.kind !== "palette" && (
        <div class="dialog-head">
          <h2>{part.title}</h2>
          <button type="button" class="button plain tight" aria-label="Close" onClick={part.onClose}>
            <Icon name="cross" />
          </button>
        </div>
      )}
      {part.children}
      {part.foot !== undefined && <div class="dialog-foot">{part.foot}</div>}
    </dialog>
  )
}
