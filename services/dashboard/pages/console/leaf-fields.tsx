import type { OperationSchema } from "../../api/operations.ts"
import { FieldRow } from "../../ui/fields.tsx"
import type { Leaf as LeafKind } from "./leaf.ts"

type Part = {
  name: string
  schema: OperationSchema
  isRequired: boolean
  value: unknown
  fault: string | undefined
  onChange: (value: unknown) => void
}

const labelOf = ({ name, isRequired }: Part) => (isRequired ? name : `${name} (optional)`)

const hintOf = ({ schema: { description } }: Part) => (description === undefined ? {} : { hint: description })

const textOf = (value: unknown) =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value)

/** The field of one value. If it is optional and empty, the request does not have it. */
export function Leaf({ leaf, ...part }: Part & { leaf: LeafKind }) {
  const options = (leaf.options ?? []).map((value) => ({ value, label: value }))
  const none = { value: "", label: part.isRequired ? "Choose…" : "Not set" }
  return (
    <FieldRow
      field={{
        name: part.name,
        label: labelOf(part),
        kind: leaf.kind,
        code: true,
        ...hintOf(part),
        ...(leaf.kind === "select" && { options: [none, ...options] }),
      }}
      value={textOf(part.value)}
      fault={part.fault}
      onChange={(text) =>
        part.onChange(text === "" && !part.isRequired ? undefined : leaf.read(String(text)))
      }
    />
  )
}

/** Several values: of a closed list, or one a line. */
export function ManyLines({ values, ...part }: Part & { values: readonly string[] }) {
  const list = Array.isArray(part.value) ? part.value.map(textOf) : []
  const isClosed = values.length > 0
  const change = (changed: readonly string[]) =>
    part.onChange(changed.length === 0 && !part.isRequired ? undefined : changed)
  return (
    <FieldRow
      field={{
        name: part.name,
        label: isClosed ? labelOf(part) : `${labelOf(part)}, one a line`,
        kind: isClosed ? "many" : "area",
        code: true,
        ...hintOf(part),
        ...(isClosed && { options: values.map((value) => ({ value, label: value })) }),
      }}
      value={isClosed ? list : list.join("\n")}
      fault={part.fault}
      onChange={(changed) => change(isClosed ? (changed as readonly string[]) : linesOf(String(changed)))}
    />
  )
}

const linesOf = (text: string) => (text === "" ? [] : text.split("\n"))
