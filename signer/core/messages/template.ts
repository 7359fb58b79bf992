import { type Refusal, refuse } from "../refusal.ts"

/** Values that a template may show. `variables`: those of the caller, by name. */
export type TemplateValues = {
  OtpCode: string
  AppName: string
  /** Validity of the code, as text: "5 minutes". */
  ExpiresIn: string
  /** Link that holds the code, and address of a picture; "": the request gives none. */
  MagicLink: string
  LogoUrl: string
  variables?: Readonly<Record<string, string>>
}

/** Largest rendered text, UTF-16 code units: a variable may occur many times. */
const MAX_RENDERED = 128 * 1024

const FIELD = /^\.(OtpCode|AppName|ExpiresIn|MagicLink|LogoUrl)$/
const VARIABLE = /^index\s+\.TemplateVariables\s+"([A-Za-z0-9_.-]{1,64})"$/

/**
 * Fills a template in the syntax of Go's text/template. Supported are `{{ .OtpCode }}`, `{{ .AppName }}`,
 * `{{ .ExpiresIn }}`, `{{ .MagicLink }}`, `{{ .LogoUrl }}` and `{{ index .TemplateVariables "name" }}`. There are no
 * conditions, loops or functions. A variable without a value is the empty text, as in Go. `{{- ` and ` -}}` cut the white
 * space beside them. `escape` is applied to each value, never to the template.
 *
 * @throws OTP_MESSAGE_INVALID for any other action, and for a text that becomes too long
 */
export function renderTemplate(
  template: string,
  values: TemplateValues,
  escape: (value: string) => string,
  field: string,
): string {
  const rendered: string[] = []
  let length = 0
  for (const { text, action } of partsOf(template)) {
    if (text.includes("{{") || text.includes("}}"))
      throw messageFault(field, "has an action that is not closed")
    const value = action === undefined ? "" : escape(valueOf(action, values, field))
    length += text.length + value.length
    if (length > MAX_RENDERED) throw messageFault(field, `becomes longer than ${MAX_RENDERED} characters`)
    rendered.push(text, value)
  }
  return rendered.join("")
}

/** True if a template has one of these actions. */
export function hasAction(template: string, ...wanted: readonly (".OtpCode" | ".MagicLink")[]): boolean {
  return [...partsOf(template)].some(({ action }) => (wanted as readonly unknown[]).includes(action))
}

/** A literal text and the action after it, without braces and markers; undefined: none, this is the last part. */
type Part = { text: string; action: string | undefined }

/** The parts of a template, in one reading. The last text begins at an action that is never closed. */
function* partsOf(template: string): Generator<Part> {
  let from = 0
  let isCut = false
  const literal = (to: number) => {
    const text = template.slice(from, to)
    return isCut ? text.trimStart() : text
  }
  for (;;) {
    const open = template.indexOf("{{", from)
    const close = open < 0 ? -1 : template.indexOf("}}", open + 2)
    if (close < 0) break
    const cutsBefore = /^-\s/.test(template.slice(open + 2, open + 4))
    const cutsAfter = /\s-$/.test(template.slice(close - 2, close))
    const text = cutsBefore ? literal(open).trimEnd() : literal(open)
    const action = template.slice(open + (cutsBefore ? 3 : 2), close - (cutsAfter ? 1 : 0)).trim()
    yield { text, action }
    from = close + 2
    isCut = cutsAfter
  }
  yield { text: literal(template.length), action: undefined }
}

function valueOf(action: string, values: TemplateValues, field: string): string {
  const [, name] = FIELD.exec(action) ?? []
  if (name !== undefined) return values[name as Exclude<keyof TemplateValues, "variables">]
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
