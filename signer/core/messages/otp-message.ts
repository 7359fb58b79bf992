import { renderTemplate, type TemplateValues } from "./template.ts"
import type { Wording } from "./wording.ts"

/** A code to tell a user. `lifetimeSeconds`: 1 to 600. */
export type CodeToTell = { code: string; lifetimeSeconds: number }

/** A mail: its subject, and one body as plain text and as HTML. */
export type Mail = { subject: string; text: string; html: string }

/**
 * The mail with a one-time code. Its HTML has no script and loads nothing, except a picture that the request names.
 * Everything that a request gives is escaped.
 */
export function renderOtpMail(told: CodeToTell, wording: Wording): Mail {
  const { appName, logoUrl, magicLinkTemplate } = wording
  const { code } = told
  const expires = `It expires in ${durationOf(told)}. If you did not ask for it, ignore this mail.`
  const link = magicLinkTemplate.replace("%s", () => encodeURIComponent(code))
  const text = [
    `Your code for ${appName}: ${code}`,
    ...(link === "" ? [] : [`Or open this link: ${link}`]),
    `${expires} Give it to nobody.`,
  ].join("\n\n")
  const html = [
    '<!doctype html><html><head><meta charset="utf-8"></head><body style="font-family:sans-serif;max-width:34em">',
    ...(logoUrl === ""
      ? []
      : [`<p><img src="${escapeHtml(logoUrl)}" alt="" style="max-width:340px;max-height:124px"></p>`]),
    `<p>Your code for ${escapeHtml(appName)}:</p>`,
    `<p style="font-size:1.8em;letter-spacing:.15em"><strong>${escapeHtml(code)}</strong></p>`,
    ...(link === "" ? [] : [`<p><a href="${escapeHtml(link)}">Sign in to ${escapeHtml(appName)}</a></p>`]),
    `<p>${expires} Give it to nobody.</p>`,
    "</body></html>",
  ].join("\n")
  return { subject: `Sign in to ${appName}`, text, html }
}

/** The text message with a one-time code. @throws OTP_MESSAGE_INVALID */
export function renderOtpSms(told: CodeToTell, { appName, smsTemplate }: Wording): string {
  const values: TemplateValues = { OtpCode: told.code, AppName: appName, ExpiresIn: durationOf(told) }
  const template = smsTemplate || BUILT_IN_SMS
  return renderTemplate(template, values, (value) => value, "parameters.smsCustomization.template")
}

const BUILT_IN_SMS = "{{ .OtpCode }} is your code for {{ .AppName }}. It expires in {{ .ExpiresIn }}."

/** Whole minutes where they are, else seconds. */
function durationOf({ lifetimeSeconds }: CodeToTell): string {
  const isMinutes = lifetimeSeconds >= 60 && lifetimeSeconds % 60 === 0
  const number = isMinutes ? lifetimeSeconds / 60 : lifetimeSeconds
  return `${number} ${isMinutes ? "minute" : "second"}${number === 1 ? "" : "s"}`
}

/** For texts and for attributes in double quotes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
