import type { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { requireChannelOn, requirePlainCodesOn } from "../../core/otp/channel.ts"
import type { ActivityContext } from "./activity.ts"

/** Refuses a code that travels in clear, and its token, where the organization, or its parent, has closed that way. @throws OTP_SEALED_ONLY */
export function requirePlainCodes({ settings }: ActivityContext<["settings"]>, field = "type"): void {
  requirePlainCodesOn([settings.own, settings.governing], field)
}

/** @throws OTP_DISABLED */
export function requireChannel(otpType: OtpType, { organization }: ActivityContext, field: string): void {
  requireChannelOn(organization.document, otpType, field)
}
