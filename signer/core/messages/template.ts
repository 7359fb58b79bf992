import { type Refusal, refuse } from "../refusal.ts"

/** Values that a template may show. `variables`: those of the caller, by name. */
export type TemplateValues = {
  OtpCode: string
  AppName: string
  /** Validity of the code, as text: "5 minutes". */
  ExpiresIn: string
  variables?: Readonly<Record<string, string>>
}

/** Largest rendered text, UTF-16 code units: a variable may occur many times. */
const MAX_RENDERED = 128 * 1024

const ACTION = /\{\{-?\s*(.*?)\s*-?\}\}/gs
const FIELD = /^\.(OtpCode|AppName|ExpiresIn)$/
const VARIABLE = /^index\s+\.TemplateVariables\s+"([A-Za-z0-9_.-]{1,64})"$/

/**
 * Fills a template in the syntax of Go's text/template, of which it knows `{{ .OtpCode }}`, `{{ .AppName }}`,
 * `{{ .ExpiresIn }}` and `{{ index .TemplateVariables "name" }}`. There are no conditions, loops or functions. A variable
 * without a value is the empty text, as in Go. `escape` is applied to each value, never to the template.
 * @throws OTP_MESSAGE_INVALID for any other action, and for a text that becomes too long
 */
export function renderTemplate(
  template: string,
  values: TemplateValues,
  escape: (value: string) => string,
  field: string,
): string {
  let length = template.length
  const rendered = template.replace(ACTION, (_action, inner: string) => {
    const value = escape(valueOf(inner, values, field))
    length += value.length
    if (length > MAX_RENDERED) throw messageFault(field, `becomes longer than ${MAX_RENDERED} characters`)
    return value
  })
  const left = template.replace(ACTION, "")
  if (left.includes("{{") || left.includes("}}"))
    throw messageFault(field, "has an action that is not closed")
  return rendered
}

/** True if a template shows the code. */
export function showsCode(template: string): boolean {
  return [...template.matchAll(ACTION)].some(([, inner]) => inner === ".OtpCode")
}

function valueOf(action: string, values: TemplateValues, field: string): string {
  const [, name] = FIELD.exec(action) ?? []
  if (name !== undefined) return values[name as "OtpCode" | "AppName" | "ExpiresIn"]
  const [, variable] = VARIABLE.exec(action) ?? []
  if (variable === undefined)
    throw messageFault(
      field,
      'has an action other than {{ .OtpCode }} and {{ index .TemplateVariables "name" }}',
    )
  const { variables = {} } = values
  return Object.hasOwn(variables, variable) ? (variables[variable] ?? "") : ""
}

/** A member of the message cannot be used; `what` completes the sentence. */
export function messageFault(field: string, what: string): Refusal {
  return refuse("OTP_MESSAGE_INVALID", `${field} ${what}`, { field })
}
