import { readJsonObject } from "../../../proto/strict-json.ts"
import { ACTIVE_SCHEMES } from "./html.ts"
import {
  type CodeToTell,
  CONTROL,
  type MailTemplate,
  renderOtpMail,
  renderOtpSms,
  type TemplateFields,
  type Wording,
} from "./otp-message.ts"
import { hasAction, messageFault } from "./template.ts"

/** Sender of a mail as a request gives it; "" where it gives none. */
export type MailSender = { senderAddress: string; senderName: string; replyTo: string }

/** A code that no address holds by chance. It and its validity are longer texts than all others: what fits now fits then. */
const SAMPLE: CodeToTell = { code: "SAMPLECODE", lifetimeSeconds: 599 }

/** A sample of a credential bundle. It is longer than every real one, which has at most 120 characters. */
export const SAMPLE_BUNDLE: CodeToTell = {
  code: "S".repeat(128),
  lifetimeSeconds: 3_153_599_999,
  kind: "session",
}

/**
 * Refuses a wording that could not be sent, before a code is made. `fields`: paths of the members; `sample`: values of the
 * message.
 * @throws OTP_MESSAGE_INVALID
 */
export function requireWording(
  wording: Wording,
  fields: Readonly<Record<"appName" | "logoUrl" | "magicLinkTemplate" | "smsTemplate", string>>,
  sample = SAMPLE,
): void {
  const { appName, logoUrl, magicLinkTemplate, smsTemplate, mailTemplate } = wording
  if (appName.trim() === "" || CONTROL.test(appName))
    throw messageFault(fields.appName, "must be a name in one line")
  if (logoUrl !== "" && !isWebAddress(logoUrl))
    throw messageFault(fields.logoUrl, "must be the address of a picture, https://...")
  if (magicLinkTemplate !== "") requireMagicLink(magicLinkTemplate, fields.magicLinkTemplate)
  if (mailTemplate !== undefined) requireTemplate(wording, mailTemplate, sample, fields.magicLinkTemplate)
  if (smsTemplate === "") return
  renderOtpSms(SAMPLE, wording, fields.smsTemplate)
  if (!hasAction(smsTemplate, ".OtpCode"))
    throw messageFault(fields.smsTemplate, "must show the code: {{.OtpCode}}")
}

/** @throws OTP_MESSAGE_INVALID */
function requireTemplate(
  wording: Wording,
  { html, text }: MailTemplate,
  sample: CodeToTell,
  field: string,
): void {
  renderOtpMail(sample, wording)
  const showsCode = [html, text].every((body) => body === "" || hasAction(body, ".OtpCode"))
  if (!showsCode && wording.magicLinkTemplate === "")
    throw messageFault(field, "is needed: the template shows the code in its link alone")
}

/**
 * Refuses a template that no mail could be made of, whatever a request gives. `fields`: paths of the members.
 * @throws OTP_MESSAGE_INVALID
 */
export function requireMailTemplate(mailTemplate: MailTemplate, fields: TemplateFields): void {
  const wording = {
    appName: "Name",
    logoUrl: "https://example.com/",
    magicLinkTemplate: "https://example.com/%s",
  }
  const others = { smsTemplate: "", templateVariables: {}, mailTemplate }
  renderOtpMail(SAMPLE, { ...wording, ...others }, fields, SAMPLE.code)
  for (const part of ["html", "text"] as const)
    if (mailTemplate[part] !== "" && !hasAction(mailTemplate[part], ".OtpCode", ".MagicLink"))
      throw messageFault(fields[part], "must show the code: {{ .OtpCode }} or {{ .MagicLink }}")
}

/** Refuses a sender that would be more than an address in a header. @throws OTP_MESSAGE_INVALID */
export function requireSender(sender: MailSender, fields: Readonly<Record<keyof MailSender, string>>): void {
  for (const member of ["senderAddress", "replyTo"] as const)
    if (sender[member] !== "" && !isAddress(sender[member]))
      throw messageFault(fields[member], "must be an address like login@example.com")
  if (CONTROL.test(sender.senderName)) throw messageFault(fields.senderName, "must be a name in one line")
}

/** One address without a name, a comment or a list. */
export function isAddress(text: string): boolean {
  return /^[^\s@<>",;:()[\]\\\p{C}]+@[^\s@<>",;:()[\]\\\p{C}]+$/u.test(text)
}

/** Requires one `%s`, outside the host: the code must not choose the server that receives it. @throws OTP_MESSAGE_INVALID */
function requireMagicLink(template: string, field: string): void {
  const url = URL.parse(template.replace("%s", "CODE"))
  const isOnce = template.split("%s").length === 2
  if (!isOnce || url === null || ACTIVE_SCHEMES.has(url.protocol) || url.host.toUpperCase().includes("CODE"))
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
