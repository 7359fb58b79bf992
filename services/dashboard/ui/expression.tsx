import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Editor } from "../editor/editor.ts"
import type { Mark } from "../editor/language.ts"
import { Icon } from "./icon.tsx"

/** An expression of a policy, in the editor. The sentence of its fault, for which the signer would refuse it, is below it too. */
export function Expression(part: {
  field: "condition" | "consensus" | "time"
  label: string
  hint: string
  text: string
  warnings: readonly Mark[]
  fault?: string | undefined
  onChange: (text: string) => void
  /** Shown below the editor, with a way to put a text at its cursor. */
  below?: (insert: (text: string) => void) => ComponentChildren
}) {
  const [found, setFound] = useState<string | undefined>(undefined)
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | undefined>(undefined)
  const onChange = useRef(part.onChange)
  onChange.current = part.onChange
  useEffect(() => {
    let isCurrent = true
    const { field, label, hint, text } = part
    const open = async () => {
      const { openEditor } = await import("../editor/editor.ts")
      if (isCurrent && place.current)
        editor.current = openEditor(place.current, {
          field,
          label,
          hint,
          text,
          onChange: (now) => onChange.current(now),
          onFault: setFound,
        })
    }
    void open()
    return () => {
      isCurrent = false
      editor.current?.destroy()
    }
  }, [])
  useEffect(() => editor.current?.setWarnings(part.warnings), [part.warnings])
  const fault = found ?? part.fault
  return (
    <div class="field">
      <span class="strong">{part.label}</span>
      <div ref={place} class="editor" />
      {fault !== undefined && (
        <span class="fault" role="status">
          <Icon name="alert" />
          {fault}
        </span>
      )}
      {part.below?.((text) => editor.current?.insert(text))}
    </div>
  )
}
