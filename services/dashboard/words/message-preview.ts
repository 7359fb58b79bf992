// Messages as the fetcher would send them, made by its own renderer with a sample code: for browser and terminal alike.
import {
  type Mail,
  type MailTemplate,
  renderOtpMail,
  renderOtpSms,
} from "../../../signer/core/messages/otp-message.ts"
import {
  type MessageTerms,
  requireTerms,
  type TermFields,
  wordingOf,
} from "../../../signer/core/messages/terms.ts"
import { requireMailTemplate } from "../../../signer/core/messages/wording.ts"

const FIELDS: TermFields = {
  appName: "appName",
  logoUrl: "logoUrl",
  magicLinkTemplate: "magicLinkTemplate",
  templateVariables: "templateVariables",
  templateId: "templateId",
  smsTemplate: "template",
  senderAddress: "sendFromEmailAddress",
  senderName: "sendFromEmailSenderName",
  replyTo: "replyToEmailAddress",
}

export type CodeSample = { otpLength: number; otpAlphanumeric: boolean; otpExpirationSeconds: number }
export type Preview = { mail: Mail; sms: string }

/** A sample code with the length and alphabet of the settings. */
const sampleCode = (length: number, isAlphanumeric: boolean) =>
  (isAlphanumeric ? "7K2QX9R4M" : "730294815").slice(0, length)

/** A mail and a text message with a sample code. @throws OTP_MESSAGE_INVALID: no message can be made of this */
export function previewOf(
  terms: MessageTerms,
  template: MailTemplate | undefined,
  sample: CodeSample,
): Preview {
  requireTerms(terms, FIELDS, template)
  const wording = wordingOf(terms, FIELDS, template)
  const code = sampleCode(sample.otpLength, sample.otpAlphanumeric)
  const told = { code, lifetimeSeconds: sample.otpExpirationSeconds }
  return { mail: renderOtpMail(told, wording), sms: renderOtpSms(told, wording) }
}

/** Requires what create_email_template requires. @throws OTP_MESSAGE_INVALID */
export function requireTemplate(template: MailTemplate): void {
  requireMailTemplate(template, { subject: "subject", html: "html", text: "text" })
}
