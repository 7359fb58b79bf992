import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { CodeFlow } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { readTemplateVariables, requireWording } from "../../core/messages/wording.ts"
import { requireContact } from "../../core/otp/contact.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { requireChannel, requirePlainCodes } from "./shared/otp.ts"

const DEFAULT_LENGTH = 9
const DEFAULT_LIFETIME_SECONDS = "300"

/** A code as requests of any version ask for it. The first version names the application beside the mail's appearance. */
type CodeRequest = {
  otpType: OtpType
  contact: string
  otpLength?: number | undefined
  alphanumeric?: boolean | undefined
  expirationSeconds?: string | undefined
  userIdentifier?: string | undefined
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

export const initOtp: Activity<"initOtp"> = {
  check,
  run: (request, context) => ({ otpId: start(request, context, false).otpId }),
}

export const initOtpV2: Activity<"initOtp", "V2"> = {
  check,
  run: (request, context) => ({ otpId: start(request, context, false).otpId }),
}

export const initOtpV3: Activity<"initOtp", "V3", "V2"> = {
  check,
  run(request, context) {
    const { otpId, targetBundle } = start(request, context, true)
    return { otpId, otpEncryptionTargetBundle: targetBundle }
  },
}

/** @throws OTP_CONTACT_INVALID, OTP_MESSAGE_INVALID, RESOURCE_UNKNOWN */
function check(request: CodeRequest): void {
  const { otpType, contact, emailCustomization: { templateVariables, templateId } = {} } = request
  requireContact(otpType, contact, "parameters.contact")
  requireWording({ ...wordingOf(request), appName: appNameOf(request) ?? "unnamed" }, FIELDS)
  if (templateVariables !== undefined)
    readTemplateVariables(templateVariables, "parameters.emailCustomization.templateVariables")
  if (templateId === undefined) return
  const field = "parameters.emailCustomization.templateId"
  throw refuse("RESOURCE_UNKNOWN", `${field}: there is no template ${templateId}; leave it out`, { field })
}

/** Has the fetcher send a code. No member of the result says whether the contact is known here. */
function start(request: CodeRequest, context: ActivityContext, isSealed: boolean) {
  const { otpType, contact, otpLength, alphanumeric, expirationSeconds, userIdentifier } = request
  const { organization } = context
  requireChannel(otpType, context, "parameters.otpType")
  if (!isSealed) requirePlainCodes(context)
  const { sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress } = request
  return context.externalFacts.startCode({
    flow: CodeFlow.VERIFICATION,
    isSealed,
    channel: otpType,
    contact,
    length: otpLength ?? DEFAULT_LENGTH,
    alphanumeric: alphanumeric ?? true,
    lifetimeSeconds: Number(expirationSeconds ?? DEFAULT_LIFETIME_SECONDS),
    userIdentifier: userIdentifier ?? "",
    message: {
      $typeName: "countersign.signer.v1.CodeMessage",
      ...wordingOf(request),
      appName: appNameOf(request) ?? organization.document.name,
      senderAddress: sendFromEmailAddress ?? "",
      senderName: sendFromEmailSenderName ?? "",
      replyTo: replyToEmailAddress ?? "",
    },
  })
}

/** The application's name; undefined: the request names none, and the organization's name stands for it. */
function appNameOf({ appName, emailCustomization }: CodeRequest): string | undefined {
  return appName ?? emailCustomization?.appName
}

function wordingOf({ emailCustomization = {}, smsCustomization = {} }: CodeRequest) {
  const { logoUrl = "", magicLinkTemplate = "" } = emailCustomization
  return { logoUrl, magicLinkTemplate, smsTemplate: smsCustomization.template ?? "" }
}

const FIELDS = {
  appName: "parameters.appName",
  logoUrl: "parameters.emailCustomization.logoUrl",
  magicLinkTemplate: "parameters.emailCustomization.magicLinkTemplate",
  smsTemplate: "parameters.smsCustomization.template",
}
