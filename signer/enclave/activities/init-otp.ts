import { create } from "@bufbuild/protobuf"
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { CodeFlow, CodeMessageSchema } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { requireTerms, senderOf, wordingOf } from "../../core/messages/terms.ts"
import { requireContact } from "../../core/otp/contact.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { type CodeRequest, requestedTerms, TERM_FIELDS, termsOf } from "./shared/code-terms.ts"
import { requireChannel, requirePlainCodes } from "./shared/otp.ts"

const DEFAULT_LENGTH = 9
const DEFAULT_LIFETIME_SECONDS = "300"

type Request = CodeRequest & { otpType: OtpType; contact: string; userIdentifier?: string | undefined }

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

/** @throws OTP_CONTACT_INVALID, OTP_MESSAGE_INVALID */
function check(request: Request): void {
  requireContact(request.otpType, request.contact, "parameters.contact")
  requireTerms(requestedTerms(request), TERM_FIELDS)
}

/** Has the fetcher send a code. No member of the result says whether the contact is known here. */
function start(request: Request, context: ActivityContext, isSealed: boolean) {
  const { otpType, contact, userIdentifier = "" } = request
  requireChannel(otpType, context, "parameters.otpType")
  if (!isSealed) requirePlainCodes(context)
  const terms = termsOf(request, context)
  const { otpLength, alphanumeric, expirationSeconds, templateId } = terms
  const mailTemplate =
    otpType === OtpType.EMAIL ? context.mailTemplate(templateId, TERM_FIELDS.templateId) : undefined
  requireTerms(terms, TERM_FIELDS, mailTemplate)
  return context.externalFacts.startCode({
    flow: CodeFlow.VERIFICATION,
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
