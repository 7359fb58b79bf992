import type { OrganizationDocument } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { messageTermsOf, withDefaults } from "../../../core/auth-proxy/settings.ts"
import type { MessageTerms, TermFields } from "../../../core/messages/terms.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ActivityContext } from "../../activities/activity.ts"

/** A code as requests of any version ask for it. The first version names the application beside the mail's appearance. */
export type CodeRequest = {
  otpLength?: number | undefined
  alphanumeric?: boolean | undefined
  expirationSeconds?: string | undefined
  appName?: string
  emailCustomization?: MailAppearance | undefined
  smsCustomization?: { template?: string | undefined } | undefined
  sendFromEmailAddress?: string | undefined
  sendFromEmailSenderName?: string | undefined
  replyToEmailAddress?: string | undefined
}

type MailAppearance = {
  appName?: string | undefined
  logoUrl?: string | undefined
  magicLinkTemplate?: string | undefined
  templateVariables?: string | undefined
  templateId?: string | undefined
}

/** Terms of a code and its message. Absent: not given. */
export type CodeTerms = MessageTerms & {
  readonly otpLength?: number | undefined
  readonly alphanumeric?: boolean | undefined
  readonly expirationSeconds?: string | undefined
}

/** Paths of the members of a request. */
export const TERM_FIELDS: TermFields & { readonly [Member in keyof Required<CodeTerms>]: string } = {
  otpLength: "parameters.otpLength",
  alphanumeric: "parameters.alphanumeric",
  expirationSeconds: "parameters.expirationSeconds",
  appName: "parameters.appName",
  logoUrl: "parameters.emailCustomization.logoUrl",
  magicLinkTemplate: "parameters.emailCustomization.magicLinkTemplate",
  templateVariables: "parameters.emailCustomization.templateVariables",
  templateId: "parameters.emailCustomization.templateId",
  smsTemplate: "parameters.smsCustomization.template",
  senderAddress: "parameters.sendFromEmailAddress",
  senderName: "parameters.sendFromEmailSenderName",
  replyTo: "parameters.replyToEmailAddress",
}

/** Terms that a request gives. */
export function requestedTerms(request: CodeRequest): CodeTerms {
  const { otpLength, alphanumeric, expirationSeconds, emailCustomization = {}, smsCustomization } = request
  const { appName, ...mail } = emailCustomization
  return {
    otpLength,
    alphanumeric,
    expirationSeconds,
    ...mail,
    appName: request.appName ?? appName,
    smsTemplate: smsCustomization?.template,
    senderAddress: request.sendFromEmailAddress,
    senderName: request.sendFromEmailSenderName,
    replyTo: request.replyToEmailAddress,
  }
}

/**
 * Terms of a code. Where the auth proxy's user asks, they are the organization's settings: the request may repeat them, and
 * choose another template. For anybody else they are the request's alone. @throws AUTH_PROXY_SETTING_DIFFERS
 */
export function termsOf(request: CodeRequest, { organization, userId }: ActivityContext): CodeTerms {
  const requested = requestedTerms(request)
  const { document } = organization
  if (!isAuthProxy(document, userId)) return { ...requested, appName: requested.appName ?? document.name }
  const configured = configuredTerms(document)
  for (const member of Object.keys(TERM_FIELDS) as (keyof CodeTerms)[]) {
    if (member !== "templateId") requireSame(requested[member], configured[member], TERM_FIELDS[member])
  }
  return { ...configured, templateId: requested.templateId ?? configured.templateId }
}

function configuredTerms({ name, authProxy }: OrganizationDocument): CodeTerms {
  const settings = withDefaults(authProxy?.settings)
  const terms = messageTermsOf(settings)
  return {
    ...terms,
    appName: terms.appName ?? name,
    otpLength: settings.otpLength,
    alphanumeric: settings.otpAlphanumeric,
    expirationSeconds: String(settings.otpExpirationSeconds),
  }
}

/** Validity of a verification token, seconds, by the same rule. @throws AUTH_PROXY_SETTING_DIFFERS */
export function tokenLifetimeOf(
  requested: string | undefined,
  { organization: { document }, userId }: ActivityContext,
): number {
  if (!isAuthProxy(document, userId)) return Number(requested ?? DEFAULT_TOKEN_SECONDS)
  const { verificationTokenExpirationSeconds: configured } = withDefaults(document.authProxy?.settings)
  requireSame(requested, String(configured), TERM_FIELDS.expirationSeconds)
  return configured
}

const DEFAULT_TOKEN_SECONDS = "3600"

function isAuthProxy({ authProxy }: Pick<OrganizationDocument, "authProxy">, userId: string): boolean {
  return authProxy !== undefined && authProxy.userId === userId
}

/** @throws AUTH_PROXY_SETTING_DIFFERS */
function requireSame(requested: unknown, configured: unknown, field: string): void {
  if (requested === undefined || requested === configured) return
  const sentence = `${field} is not as the auth proxy's settings say: leave it out, or repeat the setting`
  throw refuse("AUTH_PROXY_SETTING_DIFFERS", sentence, { field })
}
