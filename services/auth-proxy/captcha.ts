import { ApiError, GrpcCode } from "../common/api-error.ts"
import type { Configuration } from "./configurations.ts"

/**
 * Refuses what needs a captcha: codes, and sign-ups without a verification token. This release asks no captcha provider,
 * so a page cannot pass one, and a setting that has no effect would be believed.
 * @throws ApiError 403
 */
export function requireNoCaptcha({ settings }: Pick<Configuration, "settings">): void {
  if (!settings.captchaEnabled) return
  throw new ApiError(
    GrpcCode.permissionDenied,
    "captcha verification failed: this release checks no captcha; set captchaEnabled of the auth proxy to false",
    { publicCode: "REQUEST_NOT_AUTHORIZED", reason: "CAPTCHA_NOT_CHECKED" },
  )
}
