import type { Fields } from "./field.ts"

/** Reply of a completed activity whose type the document lacks. */
export type Reply = { type: string; intent: string; result: string; resultFields: Fields }

/** The reply to a type whose result goes without a version. */
export function reply(type: string, version: string, stem: string, resultFields: Fields): Reply {
  return {
    type: `ACTIVITY_TYPE_${type}${version && `_${version}`}`,
    intent: `${stem}Intent${version}`,
    result: `${stem}Result`,
    resultFields,
  }
}
