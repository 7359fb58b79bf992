import { counted } from "../counted.ts"
import { escapeHtml } from "./escape.ts"
import { requireMailHtml } from "./html.ts"
import { button, codeBlock, heading, mailPage, paragraph, picture } from "./mail-page.ts"
import { messageFault, renderTemplate, type TemplateValues } from "./template.ts"

/** A code for a user, or a credential bundle in its place. `kind`: a one-time code, if absent. */
export type CodeToTell = { code: string; lifetimeSeconds: number; kind?: "session" | "recovery" }

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
        ? `${actionOf(told)} ${wording.appName}`
        : renderTemplate(subject, values, same, fields.subject),
    html: html === "" ? builtInHtml(told, values) : renderTemplate(html, values, escapeHtml, fields.html),
    text: text === "" ? builtInText(told, values) : renderTemplate(text, values, same, fields.text),
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

/** The purpose of a message in words; the application's name follows. */
function actionOf({ kind }: CodeToTell): string {
  return kind === "recovery" ? "Recover your account at" : "Sign in to"
}

const NOUNS = { session: "sign-in key", recovery: "recovery key" } as const

function nounOf({ kind }: CodeToTell): string {
  return kind === undefined ? "code" : NOUNS[kind]
}

function builtInText(
  told: CodeToTell,
  { OtpCode: code, AppName, ExpiresIn, MagicLink: link }: TemplateValues,
): string {
  return [
    `Your ${nounOf(told)} for ${AppName}: ${code}`,
    ...(link === "" ? [] : [`Or open this link: ${link}`]),
    advice(ExpiresIn),
  ].join("\n\n")
}

/** Every text is escaped here. */
function builtInHtml(
  told: CodeToTell,
  { OtpCode: code, AppName, ExpiresIn, MagicLink: link, LogoUrl }: TemplateValues,
): string {
  const appName = escapeHtml(AppName)
  const title = `${actionOf(told)} ${appName}`
  return mailPage(title, [
    ...(LogoUrl === "" ? [] : [picture(escapeHtml(LogoUrl))]),
    heading(title),
    paragraph(`Your ${nounOf(told)} for ${appName}:`),
    codeBlock(escapeHtml(code), told.kind !== undefined),
    ...(link === "" ? [] : [button(escapeHtml(link), title)]),
    paragraph(advice(ExpiresIn), "quiet"),
  ])
}

function advice(expiresIn: string): string {
  return `It expires in ${expiresIn}. If you did not ask for it, ignore this mail. Give it to nobody.`
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const

/** The code's lifetime in the largest unit that divides it. */
function durationOf({ lifetimeSeconds }: CodeToTell): string {
  const [name, seconds] = UNITS.find(([, unit]) => lifetimeSeconds % unit === 0) ?? ["second", 1]
  const number = lifetimeSeconds / seconds
  return counted(number, name)
}
