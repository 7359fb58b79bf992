// A field that takes things by their names. Its value is what its chips show: typed letters only search, and go with the focus.
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Icon } from "./icon.tsx"
import type { Option } from "./options.tsx"

export type PickerProps = {
  label: string
  value: readonly string[]
  /** The values that a user can choose. Where the server searches, these are its results. */
  options: readonly Option[]
  /** The name of a chosen value. */
  labelOf: (value: string) => string
  onChange: (value: readonly string[]) => void
  /** Called with the letters that are typed. Without it the options are searched here. */
  onSearch?: (text: string) => void
  /** Values that can be chosen together; 1 unless said. */
  most?: number
  placeholder?: string
  /** A fault is shown beside it. */
  isInvalid?: boolean
}

/** Options that are listed at once: more letters find the others. */
const LISTED = 8

export function Picker(part: PickerProps) {
  const { label, value, options, labelOf, onChange, most = 1 } = part
  const id = useId()
  const [text, setText] = useState("")
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const place = useRef<HTMLDivElement>(null)
  // The field goes with the last choice that fits: the focus stays here. It moves at once: later it would leave the field in
  // which a fast typist goes on.
  const hasChosen = useRef(false)
  useLayoutEffect(() => {
    if (hasChosen.current && value.length === most)
      place.current?.querySelector<HTMLElement>(".chip:last-child button")?.focus()
    hasChosen.current = false
  }, [value.length])
  const search = (letters: string) => {
    setText(letters)
    setAt(0)
    part.onSearch?.(letters)
  }
  const found = fitting(options, part.onSearch === undefined ? text : "", value)
  const choose = (option: Option | undefined) => {
    if (option === undefined) return
    hasChosen.current = true
    onChange(most === 1 ? [option.value] : [...value, option.value])
    search("")
    setOpen(most > 1)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setOpen(true)
      setAt(Math.min(Math.max(at + step, 0), found.length - 1))
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault()
      choose(found[at])
    } else if (event.key === "Escape" && isOpen) {
      // The first one closes the list, not the dialog around it.
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
    } else if (event.key === "Backspace" && text === "") onChange(value.slice(0, -1))
  }
  return (
    <div class="picker" ref={place}>
      <Chips value={value} labelOf={labelOf} onChange={onChange} />
      {value.length < most && (
        <input
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(part.isInvalid && { "aria-invalid": true as const })}
          {...(isOpen && found.length > 0 && { "aria-activedescendant": `${id}-${at}` })}
          autocomplete="off"
          spellcheck={false}
          placeholder={part.placeholder ?? "Search by name"}
          value={text}
          onFocus={() => setOpen(true)}
          onBlur={() => {
            setOpen(false)
            search("")
          }}
          onInput={(event) => {
            setOpen(true)
            search(event.currentTarget.value)
          }}
          onKeyDown={onKey}
        />
      )}
      {isOpen && value.length < most && <Found id={id} label={label} found={found} at={at} choose={choose} />}
    </div>
  )
}

function fitting(options: readonly Option[], text: string, chosen: readonly string[]): Option[] {
  const wanted = text.trim().toLowerCase()
  return options
    .filter(({ value, label }) => !chosen.includes(value) && label.toLowerCase().includes(wanted))
    .slice(0, LISTED)
}

function Chips({ value, labelOf, onChange }: Pick<PickerProps, "value" | "labelOf" | "onChange">) {
  if (value.length === 0) return null
  return (
    <span class="chips">
      {value.map((one) => (
        <span key={one} class="chip" title={one}>
          <span class="wrap">{labelOf(one)}</span>
          <button
            type="button"
            aria-label={`Remove ${labelOf(one)}`}
            onClick={() => onChange(value.filter((other) => other !== one))}
          >
            <Icon name="cross" />
          </button>
        </span>
      ))}
    </span>
  )
}

function Found(part: {
  id: string
  label: string
  found: readonly Option[]
  at: number
  choose: (option: Option) => void
}) {
  const { id, found, at } = part
  return (
    <ul class="found" id={`${id}-list`} role="listbox" aria-label={part.label}>
      {found.map((option, index) => (
        <li
          key={option.value}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          // The field keeps the focus: without it the list would close before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => part.choose(option)}
        >
          {option.label}
        </li>
      ))}
      {found.length === 0 && (
        <li role="option" aria-selected={false} aria-disabled class="quiet">
          Nothing has this name.
        </li>
      )}
    </ul>
  )
}
