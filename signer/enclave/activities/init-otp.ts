import { CodeFlow } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { checkCodeRequest as check, type CodeStartRequest, startCode } from "./shared/start-code.ts"

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

/** No member of the result says whether the contact is known here. */
function start(request: CodeStartRequest, context: ActivityContext, isSealed: boolean) {
  return startCode(request, { flow: CodeFlow.VERIFICATION, isSealed }, context)
}
