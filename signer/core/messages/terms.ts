import type { CodeToTell, MailTemplate, Wording } from "./otp-message.ts"
import { readTemplateVariables, requireSender, requireWording } from "./wording.ts"

/** Members of a request, or of the settings of an auth proxy, that say how a message looks and who sends it. */
type MessageTerm =
  | "appName"
  | "logoUrl"
  | "magicLinkTemplate"
  | "templateVariables"
  | "templateId"
  | "smsTemplate"
  | "senderAddress"
  | "senderName"
  | "replyTo"

/** Values of a message's terms; absent: not given. */
export type MessageTerms = { readonly [Member in MessageTerm]?: string | undefined }

/** The path of each member. */
export type TermFields = { readonly [Member in MessageTerm]: string }

/** Refuses terms that no message can have. @throws OTP_MESSAGE_INVALID */
export function requireTerms(
  terms: MessageTerms,
  fields: TermFields,
  mailTemplate?: MailTemplate,
  sample?: CodeToTell,
): void {
  const { appName = "unnamed" } = terms
  requireWording(wordingOf({ ...terms, appName }, fields, mailTemplate), fields, sample)
  requireSender(senderOf(terms), fields)
}

/** @throws OTP_MESSAGE_INVALID for variables that are no JSON object of texts */
export function wordingOf(
  terms: MessageTerms,
  fields: Pick<TermFields, "templateVariables">,
  mailTemplate: MailTemplate | undefined,
): Wording {
  const { appName = "", logoUrl = "", magicLinkTemplate = "", smsTemplate = "" } = terms
  const { templateVariables: variables } = terms
  const templateVariables =
    variables === undefined ? {} : readTemplateVariables(variables, fields.templateVariables)
  return { appName, logoUrl, magicLinkTemplate, smsTemplate, templateVariables, mailTemplate }
}

export function senderOf({ senderAddress = "", senderName = "", replyTo = "" }: MessageTerms) {
  return { senderAddress, senderName, replyTo }
}
