// Values without members: the text of each kind in a field, and its value in the request.
import { type OperationSchema, valuesOf } from "../../api/operations.ts"
import type { FormField } from "../../ui/fields.tsx"

export type Leaf = {
  kind: NonNullable<FormField["kind"]>
  options?: readonly string[]
  /** The text of a field as the member's value. */
  read: (text: string) => unknown
}

const YES_OR_NO = ["true", "false"]

/** Texts that are longer than this get an area. */
const LINE = 256

export function leafOf(schema: OperationSchema): Leaf {
  const values = valuesOf(schema)
  if (values.length > 0) return { kind: "select", options: values, read: (text) => text }
  switch (schema.type) {
    case "boolean":
      return { kind: "select", options: YES_OR_NO, read: (text) => text === "true" }
    case "integer":
    case "number":
      return { kind: "number", read: numberOrText }
    case "string":
      return { kind: (schema.maxLength ?? LINE) > LINE ? "area" : "text", read: (text) => text }
    default:
      return { kind: "area", read: jsonOrText }
  }
}

/** A text that is not a number stays a text: the API's reader then names the fault. */
const numberOrText = (text: string) => (/^-?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : text)

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
