// Fields of forms. Faults are shown beside their field, in the words of the API.
import { useId } from "preact/hooks"
import { ManyAccounts } from "./account-options.tsx"
import { Icon } from "./icon.tsx"
import { ManyOptions, type Option } from "./options.tsx"
import { ManyUsers } from "./user-options.tsx"

export type FieldValue = string | boolean | readonly string[]
export type FormValues = { readonly [name: string]: FieldValue }

export type FormField = {
  /** Name of the value, and path of the parameter unless `path` says another. */
  name: string
  label: string
  kind?: "text" | "number" | "password" | "date" | "area" | "select" | "check" | "many" | "users" | "accounts"
  options?: readonly Option[]
  hint?: string
  /** Path below `parameters`, for faults: "accounts" also takes those of "accounts[0].path"; `[*]` is any place of a list. */
  path?: string
  placeholder?: string
  code?: boolean
  /** Lines that an area shows; 4 unless said. */
  rows?: number
  initial?: FieldValue
}

export const textOf = (values: FormValues, name: string): string => String(values[name] ?? "").trim()
export const manyOf = (values: FormValues, name: string): string[] => [
  ...((values[name] as readonly string[] | undefined) ?? []),
]

/** The lines of an area, without empty ones. */
export const linesOf = (values: FormValues, name: string): string[] =>
  textOf(values, name)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** A whole number; any other text stays itself, and the API's reader says what is wrong with it. */
export function numberOf(values: FormValues, name: string): number | string {
  const text = textOf(values, name)
  return /^\d{1,10}$/.test(text) ? Number(text) : text
}
/** The members that have a text: an empty field is an absent member. */
export function textsOf(values: FormValues, ...names: readonly string[]): { [name: string]: string } {
  return Object.fromEntries(
    names.map((name) => [name, textOf(values, name)]).filter(([, text]) => text !== ""),
  )
}

export const initialOf = ({ kind, initial, options }: FormField): FieldValue =>
  initial ??
  (kind === "check"
    ? false
    : kind === "many" || kind === "users" || kind === "accounts"
      ? []
      : kind === "select"
        ? (options?.[0]?.value ?? "")
        : "")

type Part = {
  field: FormField
  value: FieldValue
  fault?: string | undefined
  onChange: (value: FieldValue) => void
}

export function FieldRow({ field, value, fault, onChange }: Part) {
  const id = useId()
  const notesOf = [fault !== undefined && `${id}-fault`, field.hint !== undefined && `${id}-hint`]
  const described = notesOf.filter(Boolean).join(" ") || undefined
  const marks = {
    id,
    "aria-describedby": described,
    ...(fault !== undefined && { "aria-invalid": true as const }),
  }
  const notes = (
    <>
      {field.hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {field.hint}
        </span>
      )}
      {fault !== undefined && (
        <span class="fault" id={`${id}-fault`} role="alert">
          <Icon name="alert" />
          {fault}
        </span>
      )}
    </>
  )
  if (field.kind === "check") {
    return (
      <div class="field">
        <span class="option">
          <input
            {...marks}
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
          <label htmlFor={id}>{field.label}</label>
        </span>
        {notes}
      </div>
    )
  }
  if (field.kind === "many" || field.kind === "users" || field.kind === "accounts") {
    const part = { label: field.label, value: value as readonly string[], onChange }
    return (
      <fieldset class="field" aria-describedby={described}>
        <legend>{field.label}</legend>
        {field.kind === "users" ? (
          <ManyUsers {...part} />
        ) : field.kind === "accounts" ? (
          <ManyAccounts {...part} />
        ) : (
          <ManyOptions {...part} options={field.options ?? []} />
        )}
        {notes}
      </fieldset>
    )
  }
  return (
    <div class="field">
      <label htmlFor={id}>{field.label}</label>
      <Control field={field} value={String(value)} marks={marks} onChange={onChange} />
      {notes}
    </div>
  )
}

function Control(part: {
  field: FormField
  value: string
  marks: object
  onChange: (value: string) => void
}) {
  const { field, value, marks, onChange } = part
  const style = field.code ? "code" : ""
  const onInput = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  if (field.kind === "area")
    return (
      <textarea
        {...marks}
        class={style}
        value={value}
        placeholder={field.placeholder ?? ""}
        rows={field.rows ?? 4}
        spellcheck={!field.code}
        onInput={onInput}
      />
    )
  if (field.kind === "select")
    return (
      <select {...marks} value={value} onChange={onInput}>
        {field.options?.every((option) => option.value !== value) && (
          // The form sends this value, so it is shown also where the options lack it.
          <option value={value}>{value === "" ? "Choose one" : value}</option>
        )}
        {field.options?.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )
  const common = {
    ...marks,
    class: style,
    autocomplete: "off" as const,
    spellcheck: false,
    value,
    placeholder: field.placeholder ?? "",
    onInput,
  }
  if (field.kind === "date") return <input {...common} type="date" />
  if (field.kind === "password") return <input {...common} type="password" />
  return <input {...common} type="text" inputMode={field.kind === "number" ? "numeric" : "text"} />
}
