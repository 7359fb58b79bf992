import { CodeFlow } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import { checkCodeRequest as check, type CodeStartRequest, startCode } from "./start-code.ts"

const needs = ["code", "settings"] as const

export const initOtp: Activity<"initOtp", typeof needs> = {
  needs,
  check,
  run: (request, context) => ({ otpId: start(request, context, false).otpId }),
}

export const initOtpV2: Activity<"initOtp", typeof needs, "V2"> = {
  needs,
  check,
  run: (request, context) => ({ otpId: start(request, context, false).otpId }),
}

export const initOtpV3: Activity<"initOtp", typeof needs, "V3", "V2"> = {
  needs,
  check,
  run(request, context) {
    const { otpId, targetBundle } = start(request, context, true)
    return { otpId, otpEncryptionTargetBundle: targetBundle }
  },
}

/** No member of the result says whether the contact is known here. */
function start(request: CodeStartRequest, context: ActivityContext<typeof needs>, isSealed: boolean) {
  return startCode(request, { flow: CodeFlow.VERIFICATION, isSealed }, context)
}
