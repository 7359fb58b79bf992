import { escapeHtml } from "./escape.ts"
import { requireMailHtml } from "./html.ts"
import { messageFault, renderTemplate, type TemplateValues } from "./template.ts"

/** A code to tell a user. `lifetimeSeconds`: 1 to 600. */
export type CodeToTell = { code: string; lifetimeSeconds: number }

/** A mail: its subject, and one body as plain text and as HTML. */
export type Mail = { subject: string; text: string; html: string }

/** A template of mails; "": the built-in subject or text. */
export type MailTemplate = { subject: string; html: string; text: string }

/** Wording of a message as a request gives it; "" where it gives none. */
export type Wording = {
  appName: string
  logoUrl: string
  magicLinkTemplate: string
  smsTemplate: string
  templateVariables: Readonly<Record<string, string>>
  mailTemplate?: MailTemplate | undefined
}

/** Paths of the members that a mail's wording comes from, for refusals. */
export type TemplateFields = { subject: string; html: string; text: string }

/** A template was checked when it was created: what is wrong later comes from a value of the request. */
const APPEARANCE = "parameters.emailCustomization"
const OF_REQUEST: TemplateFields = { subject: APPEARANCE, html: APPEARANCE, text: APPEARANCE }

/** Control characters and line breaks: they would begin another header of a mail (RFC 5322, section 2.2). */
export const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * The mail with a one-time code, by the template of the wording or as it is built in. Its HTML has no script and loads
 * nothing, except pictures that the template or the request names. Everything that a request gives is escaped.
 * `secret`: see `requireMailHtml`.
 *
 * @throws OTP_MESSAGE_INVALID
 */
export function renderOtpMail(
  told: CodeToTell,
  wording: Wording,
  fields = OF_REQUEST,
  secret?: string,
): Mail {
  const values = valuesOf(told, wording)
  const { subject, html, text } = wording.mailTemplate ?? NO_TEMPLATE
  const mail = {
    subject:
      subject === ""
        ? `Sign in to ${wording.appName}`
        : renderTemplate(subject, values, same, fields.subject),
    html: html === "" ? builtInHtml(values) : renderTemplate(html, values, escapeHtml, fields.html),
    text: text === "" ? builtInText(values) : renderTemplate(text, values, same, fields.text),
  }
  if (CONTROL.test(mail.subject)) throw messageFault(fields.subject, "must be one line")
  if (html !== "") requireMailHtml(mail.html, fields.html, secret)
  return mail
}

/** The text message with a one-time code. `field`: path of its template. @throws OTP_MESSAGE_INVALID */
export function renderOtpSms(
  told: CodeToTell,
  wording: Wording,
  field = "parameters.smsCustomization.template",
): string {
  const template = wording.smsTemplate || BUILT_IN_SMS
  return renderTemplate(template, valuesOf(told, wording), same, field)
}

const NO_TEMPLATE: MailTemplate = { subject: "", html: "", text: "" }
const BUILT_IN_SMS = "{{ .OtpCode }} is your code for {{ .AppName }}. It expires in {{ .ExpiresIn }}."

const same = (value: string) => value

function valuesOf(told: CodeToTell, wording: Wording): TemplateValues {
  const { appName, logoUrl, magicLinkTemplate, templateVariables: variables } = wording
  return {
    OtpCode: told.code,
    AppName: appName,
    ExpiresIn: durationOf(told),
    MagicLink: magicLinkTemplate.replace("%s", () => encodeURIComponent(told.code)),
    LogoUrl: logoUrl,
    variables,
  }
}

function builtInText({ OtpCode: code, AppName, ExpiresIn, MagicLink: link }: TemplateValues): string {
  return [
    `Your code for ${AppName}: ${code}`,
    ...(link === "" ? [] : [`Or open this link: ${link}`]),
    advice(ExpiresIn),
  ].join("\n\n")
}

function builtInHtml({
  OtpCode: code,
  AppName,
  ExpiresIn,
  MagicLink: link,
  LogoUrl,
}: TemplateValues): string {
  const appName = escapeHtml(AppName)
  const picture = `<p><img src="${escapeHtml(LogoUrl)}" alt="" style="max-width:340px;max-height:124px"></p>`
  return [
    '<!doctype html><html><head><meta charset="utf-8"></head><body style="font-family:sans-serif;max-width:34em">',
    ...(LogoUrl === "" ? [] : [picture]),
    `<p>Your code for ${appName}:</p>`,
    `<p style="font-size:1.8em;letter-spacing:.15em"><strong>${escapeHtml(code)}</strong></p>`,
    ...(link === "" ? [] : [`<p><a href="${escapeHtml(link)}">Sign in to ${appName}</a></p>`]),
    `<p>${advice(ExpiresIn)}</p>`,
    "</body></html>",
  ].join("\n")
}

function advice(expiresIn: string): string {
  return `It expires in ${expiresIn}. If you did not ask for it, ignore this mail. Give it to nobody.`
}

/** Whole minutes where they are, else seconds. */
function durationOf({ lifetimeSeconds }: CodeToTell): string {
  const isMinutes = lifetimeSeconds >= 60 && lifetimeSeconds % 60 === 0
  const number = isMinutes ? lifetimeSeconds / 60 : lifetimeSeconds
  return `${number} ${isMinutes ? "minute" : "second"}${number === 1 ? "" : "s"}`
}
