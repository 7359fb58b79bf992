import { readJsonObject } from "../../../proto/strict-json.ts"
import { messageFault, renderTemplate, showsCode } from "./template.ts"

/** Wording of a message as a request gives it; "" where it gives none. */
export type Wording = {
  appName: string
  logoUrl: string
  magicLinkTemplate: string
  smsTemplate: string
}

/** Control characters and line breaks: a name stands in the subject of a mail. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u

const SAMPLE = { OtpCode: "000000", AppName: "", ExpiresIn: "5 minutes" }

/**
 * Refuses a wording that could not be sent, before a code is made. `fields`: paths of the members.
 * @throws OTP_MESSAGE_INVALID
 */
export function requireWording(wording: Wording, fields: Readonly<Record<keyof Wording, string>>): void {
  const { appName, logoUrl, magicLinkTemplate, smsTemplate } = wording
  if (appName.trim() === "" || CONTROL.test(appName))
    throw messageFault(fields.appName, "must be a name in one line")
  if (logoUrl !== "" && !isWebAddress(logoUrl))
    throw messageFault(fields.logoUrl, "must be the address of a picture, https://...")
  if (magicLinkTemplate !== "") requireMagicLink(magicLinkTemplate, fields.magicLinkTemplate)
  if (smsTemplate === "") return
  renderTemplate(smsTemplate, SAMPLE, (value) => value, fields.smsTemplate)
  if (!showsCode(smsTemplate)) throw messageFault(fields.smsTemplate, "must show the code: {{.OtpCode}}")
}

/** Schemes whose addresses run code or hold a document of their own. */
const ACTIVE = new Set(["javascript:", "data:", "vbscript:", "blob:", "file:"])

/** `%s` occurs once, not in the host: a code must not choose who reads it. @throws OTP_MESSAGE_INVALID */
function requireMagicLink(template: string, field: string): void {
  const url = URL.parse(template.replace("%s", "CODE"))
  const isOnce = template.split("%s").length === 2
  if (!isOnce || url === null || ACTIVE.has(url.protocol) || url.host.toUpperCase().includes("CODE"))
    throw messageFault(
      field,
      "must be a link with one %s in its path, query or fragment: invalid magic link template",
    )
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === ""
}

/** Largest text of template variables, UTF-16 code units, and their number. */
const MAX_VARIABLES_TEXT = 8192
const MAX_VARIABLES = 64

/** Reads variables of a custom template: JSON text of an object of texts. @throws OTP_MESSAGE_INVALID */
export function readTemplateVariables(text: string, field: string): Readonly<Record<string, string>> {
  if (text.length > MAX_VARIABLES_TEXT)
    throw messageFault(field, `must have at most ${MAX_VARIABLES_TEXT} characters`)
  const members = Object.entries(readJsonObject(text, (reason) => messageFault(field, reason)))
  const isText = members.every(([, value]) => typeof value === "string")
  if (!isText || members.length > MAX_VARIABLES)
    throw messageFault(field, `must be a JSON object of at most ${MAX_VARIABLES} texts`)
  return Object.fromEntries(members) as Record<string, string>
}
