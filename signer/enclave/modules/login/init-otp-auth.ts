import { CodeFlow } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import { requireContactOwner } from "../../activities/contact-owner.ts"
import { checkCodeRequest as check, type CodeStartRequest, startCode } from "./start-code.ts"

const needs = ["code", "settings"] as const

export const initOtpAuth: Activity<"initOtpAuth", typeof needs> = { needs, check, run: start }
export const initOtpAuthV2: Activity<"initOtpAuth", typeof needs, "V2", "V2"> = { needs, check, run: start }
export const initOtpAuthV3: Activity<"initOtpAuth", typeof needs, "V3", "V2"> = { needs, check, run: start }

/**
 * Has the fetcher send a code to a user, who exchanges it for a session with otp_auth.
 * @throws RESOURCE_UNKNOWN, CONTACT_AMBIGUOUS, the codes of startCode
 */
function start(request: CodeStartRequest, context: ActivityContext<typeof needs>) {
  const named = {
    channel: request.otpType,
    contact: request.contact,
    field: "parameters.contact",
    name: "this contact",
    remedy: "log in with a credential of one of them",
  }
  requireContactOwner(named, context)
  const { otpId } = startCode(request, { flow: CodeFlow.SEALED_SESSION, isSealed: false }, context)
  return { otpId }
}
