import { requireCodes } from "./auth-methods.ts"
import { requireCaptcha } from "./captcha.ts"
import { requireObject } from "./core-api.ts"
import type { ProxyRequest } from "./proxy-request.ts"

type Json = { readonly [member: string]: unknown }

/**
 * Sends a one-time code. `form`: the one in which the code comes back; sealed is sealed to the fetcher. The page chooses
 * contact and template. The signer takes everything else from the organization's settings; the name is a required member.
 *
 * @throws ApiError 403, 503; CoreRefusal
 */
export async function otpInit(request: ProxyRequest, form: "in clear" | "sealed"): Promise<object> {
  const { configuration, organization } = request
  const { otpType, contact, emailCustomization } = request.clean
  const { settings, organizationName } = configuration
  requireCodes(settings, otpType)
  await requireCaptcha(request)
  const appName = settings.emailCustomizationParams?.appName ?? organizationName
  const templateId = (emailCustomization as Json | undefined)?.["templateId"]
  const parameters = { otpType, contact, appName, emailCustomization: { templateId } }
  const [version, member] =
    form === "sealed" ? (["V3", "initOtpResultV2"] as const) : (["V2", "initOtpResult"] as const)
  const { result } = await organization.submit("init_otp", `ACTIVITY_TYPE_INIT_OTP_${version}`, parameters)
  return requireObject(result, member)
}

/**
 * Exchanges a code for a verification token: a code in clear with `publicKey`, or a sealed one. The signer takes the
 * token's lifetime from the organization's settings.
 *
 * @throws ApiError 403, 503; CoreRefusal
 */
export async function otpVerify({ clean, organization }: ProxyRequest): Promise<object> {
  const { otpId, otpCode, publicKey, encryptedOtpBundle } = clean
  const type = `ACTIVITY_TYPE_VERIFY_OTP${encryptedOtpBundle === undefined ? "" : "_V2"}`
  const parameters = { otpId, otpCode, publicKey, encryptedOtpBundle }
  const { result } = await organization.submit("verify_otp", type, parameters)
  return requireObject(result, "verifyOtpResult")
}
