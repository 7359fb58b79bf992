// A change has a form, makes a request that a user stamps, and may do more after the receipt.
import type { ComponentChildren } from "preact"
import { ApiFault } from "../api/client.ts"
import type { WholeActivityJson } from "../../common/activity-json.ts"
import type { FormField, FormValues } from "./fields.tsx"

export type Change = {
  title: string
  /** Text of the button that stamps. */
  verb: string
  /** Text of the button that closes the form, where "Cancel" would have two meanings. */
  dismiss?: string
  type: string
  /** Effect of the change, below the words of the request, where these alone do not explain it. */
  sentence?: string
  fields?: readonly FormField[]
  /** Shown above the fields; a change without fields has it above its review. */
  intro?: ComponentChildren
  /** Shown first and in place of the words of the stamped request: the request that a vote is about. */
  about?: ComponentChildren
  parameters: (values: FormValues) => object | Promise<object>
  /** For irreversible acts: a sentence about the loss, and the name that the user has to type. */
  grave?: { loses: string; name: string }
  /** Shown below the fields while they are filled in. */
  preview?: (values: FormValues) => ComponentChildren
  /** Called with the activity once it is recorded. */
  onDone?: (activity: WholeActivityJson) => void
  /** Shown below the receipt of a completed activity. */
  after?: (activity: WholeActivityJson) => ComponentChildren
}

/** The field whose path leads to the member at fault, the one with the longest path if there are several. */
export function fieldAt(fault: Error, fields: readonly FormField[]): FormField | undefined {
  const path = fault instanceof ApiFault ? fault.field.replace(/^parameters\./, "") : ""
  if (path === "") return undefined
  const anywhere = path.replaceAll(/\[\d+\]/g, "[*]")
  const leads = (own: string) =>
    [path, anywhere].some((one) => one === own || one.startsWith(`${own}.`) || one.startsWith(`${own}[`))
  return fields
    .filter((field) => leads(pathOf(field)))
    .toSorted((one, other) => pathOf(other).length - pathOf(one).length)[0]
}

const pathOf = ({ name, path = name }: FormField): string => path

/** An error sentence without the path at its beginning, because it is shown beside the field. */
export function ofField(sentence: string): string {
  const text = sentence.replace(
    /^(?:invalid request body: )?(?:missing field )?`?parameters[\w.[\]]*`?(?=[: ]|$):? ?/,
    "",
  )
  if (text === "") return "Fill in this field."
  return text.charAt(0).toUpperCase() + text.slice(1)
}
