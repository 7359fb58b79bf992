import { create } from "@bufbuild/protobuf"
import { OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type CodeFlow,
  CodeMessageSchema,
  type CodeStarted,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { requireTerms, senderOf, wordingOf } from "../../../core/messages/terms.ts"
import { requireCodeLifetime } from "../../../core/otp/code-lifetime.ts"
import { requireContact } from "../../../core/otp/contact.ts"
import type { ActivityContext } from "../../activities/activity.ts"
import { type CodeRequest, requestedTerms, TERM_FIELDS, termsOf } from "./code-terms.ts"
import { requireChannel, requirePlainCodes } from "../../activities/code-switches.ts"

const DEFAULT_LENGTH = 9
const DEFAULT_LIFETIME_SECONDS = "300"

/** Members of every request for a code. */
export type CodeStartRequest = CodeRequest & {
  otpType: OtpType
  contact: string
  userIdentifier?: string | undefined
}

/** @throws OTP_CONTACT_INVALID, OTP_MESSAGE_INVALID, REQUEST_INVALID */
export function checkCodeRequest(request: CodeStartRequest): void {
  requireCodeLifetime(request.expirationSeconds, TERM_FIELDS.expirationSeconds)
  requireContact(request.otpType, request.contact, "parameters.contact")
  requireTerms(requestedTerms(request), TERM_FIELDS)
}

/**
 * Has the fetcher send a code.
 * @throws OTP_DISABLED, OTP_SEALED_ONLY, OTP_MESSAGE_INVALID, AUTH_PROXY_SETTING_DIFFERS, RESOURCE_UNKNOWN, the codes of
 *   Codes.start
 */
export function startCode(
  request: CodeStartRequest,
  { flow, isSealed }: { flow: CodeFlow; isSealed: boolean },
  context: ActivityContext<["code", "settings"]>,
): CodeStarted {
  const { otpType, contact, userIdentifier = "" } = request
  requireChannel(otpType, context, "parameters.otpType")
  if (!isSealed) requirePlainCodes(context)
  const terms = termsOf(request, context)
  const { otpLength, alphanumeric, expirationSeconds, templateId } = terms
  const mailTemplate =
    otpType === OtpType.EMAIL ? context.code.template(templateId, TERM_FIELDS.templateId) : undefined
  requireTerms(terms, TERM_FIELDS, mailTemplate)
  return context.code.start({
    flow,
    isSealed,
    channel: otpType,
    contact,
    length: otpLength ?? DEFAULT_LENGTH,
    alphanumeric: alphanumeric ?? true,
    lifetimeSeconds: Number(expirationSeconds ?? DEFAULT_LIFETIME_SECONDS),
    userIdentifier,
    message: create(CodeMessageSchema, {
      ...wordingOf(terms, TERM_FIELDS, mailTemplate),
      ...senderOf(terms),
    }),
  })
}
