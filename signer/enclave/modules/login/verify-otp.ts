import { ApiKeyCurve } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { CodeFlow } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { requirePublicKey } from "../../../core/stamp/keys.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import type { CodeToCheck } from "../../activities/powers/fetched.ts"
import { tokenLifetimeOf } from "./code-terms.ts"
import { requirePlainCodes } from "../../activities/code-switches.ts"

const needs = ["verification"] as const
const plainNeeds = [...needs, "settings"] as const

/** Published clients send a sealed code with the first type too: the member decides, not the type. */
export const verifyOtp: Activity<"verifyOtp", typeof plainNeeds> = {
  needs: plainNeeds,
  check: (request) => void evidenceOf(request),
  run(request, context) {
    const evidence = evidenceOf(request)
    if (evidence.case === "plain") requirePlainCodes(context)
    return verify(request, evidence, context)
  },
}

export const verifyOtpV2: Activity<"verifyOtp", typeof needs, "V2"> = {
  needs,
  run: (request, context) => verify(request, { case: "sealed", value: request.encryptedOtpBundle }, context),
}

type Evidence = CodeToCheck["evidence"]

/** @throws REQUEST_INVALID unless there is one form of the code; PUBLIC_KEY_INVALID */
function evidenceOf({
  otpCode,
  encryptedOtpBundle,
  publicKey,
}: {
  otpCode?: string | undefined
  encryptedOtpBundle?: string | undefined
  publicKey?: string | undefined
}): Evidence {
  if (encryptedOtpBundle !== undefined && otpCode === undefined && publicKey === undefined)
    return { case: "sealed", value: encryptedOtpBundle }
  if (encryptedOtpBundle !== undefined || otpCode === undefined) {
    const sentence = "give either parameters.otpCode, with publicKey, or parameters.encryptedOtpBundle alone"
    throw refuse("REQUEST_INVALID", sentence, { field: "parameters.otpCode" })
  }
  const field = "parameters.publicKey"
  const key = publicKey === undefined ? "" : requirePublicKey(ApiKeyCurve.P256, publicKey, field)
  const value = { $typeName: "countersign.signer.v1.PlainCode", code: otpCode, publicKey: key } as const
  return { case: "plain", value }
}

/** Has the fetcher check the code. @throws OTP_CODE_INVALID for every reason, AUTH_PROXY_SETTING_DIFFERS */
function verify(
  { otpId, expirationSeconds }: { otpId: string; expirationSeconds?: string | undefined },
  evidence: Evidence,
  context: ActivityContext<typeof needs>,
) {
  const verificationToken = context.verification.check({
    flow: CodeFlow.VERIFICATION,
    otpId: otpId.toLowerCase(),
    evidence,
    tokenLifetimeSeconds: tokenLifetimeOf(expirationSeconds, context),
  })
  return { verificationToken }
}
