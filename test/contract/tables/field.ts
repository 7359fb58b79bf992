// Vocabulary of the tables of the interface document. Nothing here, and nothing in the tables,
// is derived from proto/: the tables are the independent source that proto/ is checked against.

/** The JSON type of one member. */
export type FieldType =
  | { kind: "string" | "boolean" | "number" | "timestamp" | "object" }
  | { kind: "enum"; values: readonly string[]; beyond: readonly string[] }
  | { kind: "enumByPrefix"; prefix: string; values: readonly string[] }
  | { kind: "openEnum"; values: readonly string[] }
  | { kind: "list"; of: FieldType }
  | { kind: "record"; fields: Fields }

/**
 * The document's statement about a member's presence.
 * - required, optional: by the document
 * - silent: the document names the member but not whether it must be there; we chose
 * - beyond: the document does not name it; newer published clients know it. It may always be left out
 */
export type Presence = "required" | "optional" | "silentRequired" | "silentOptional" | "beyond"

export type Field = { type: FieldType; presence: Presence }
export type Fields = { readonly [name: string]: Field }

export const string: FieldType = { kind: "string" }
export const boolean: FieldType = { kind: "boolean" }
export const number: FieldType = { kind: "number" }
/** `{seconds: string, nanos: string}`. */
export const timestamp: FieldType = { kind: "timestamp" }
/** An object whose members the document describes elsewhere or not at all. */
export const object: FieldType = { kind: "object" }

/** An enumeration: the document's values, and those that newer published clients know besides. */
export const oneOf = (values: readonly string[], beyond: readonly string[] = []): FieldType => ({
  kind: "enum",
  values,
  beyond,
})
/** Values of the document that are taken, and others of their form: each deployment configures its own. */
export const includes = (values: readonly string[]): FieldType => ({ kind: "openEnum", values })
/** An enumeration of which the document shows only how its values begin; values are those of published clients. */
export const beginningWith = (prefix: string, values: readonly string[]): FieldType => ({
  kind: "enumByPrefix",
  prefix,
  values,
})
export const list = (of: FieldType): FieldType => ({ kind: "list", of })
export const record = (fields: Fields): FieldType => ({ kind: "record", fields })

export const required = (type: FieldType): Field => ({ type, presence: "required" })
export const optional = (type: FieldType): Field => ({ type, presence: "optional" })
export const silentRequired = (type: FieldType): Field => ({ type, presence: "silentRequired" })
export const silentOptional = (type: FieldType): Field => ({ type, presence: "silentOptional" })
export const beyond = (type: FieldType): Field => ({ type, presence: "beyond" })

export const isRequired = ({ presence }: Field) => presence === "required" || presence === "silentRequired"
export const isDocumented = ({ presence }: Field) => presence !== "beyond"
