import type { Fields } from "../language/types.ts"
import type { Value } from "../language/value.ts"

/** Parameters of any activity, as its reader returned them. */
export type Parameters = { readonly [name: string]: unknown }

/** The parameters of an activity that policies see, as `activity.params`. They see no others. */
export type ShownParameters = {
  readonly fields: Fields
  /** The fields' values. Absent: this release does not serve the activity. */
  readonly values?: (parameters: Parameters) => { readonly [field: string]: Value | undefined }
}

/** By the activity's type, without `ACTIVITY_TYPE_`. */
export type ShownByType = { readonly [type: string]: ShownParameters }

export function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(text) : []
}

/** An id in lower case, as ids are stored: a request may spell it otherwise. */
export function id(value: unknown): string {
  return text(value).toLowerCase()
}

export function ids(value: unknown): string[] {
  return Array.isArray(value) ? value.map(id) : []
}
