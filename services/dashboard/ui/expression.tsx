import { useEffect, useRef } from "preact/hooks"
import type { Editor } from "../editor/editor.ts"
import type { Mark } from "../editor/language.ts"
import { Icon } from "./icon.tsx"

/** An expression of a policy, in the editor. `fault`: what the signer would say, below it too. */
export function Expression(part: {
  field: "condition" | "consensus" | "time"
  label: string
  hint: string
  text: string
  warnings: readonly Mark[]
  fault?: string | undefined
  onChange: (text: string) => void
}) {
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
        })
    }
    void open()
    return () => {
      isCurrent = false
      editor.current?.destroy()
    }
  }, [])
  useEffect(() => editor.current?.setWarnings(part.warnings), [part.warnings])
  return (
    <div class="field">
      <span class="strong">{part.label}</span>
      <div ref={place} class="editor" />
      {part.fault !== undefined && (
        <span class="fault" role="alert">
          <Icon name="alert" />
          {part.fault}
        </span>
      )}
    </div>
  )
}
