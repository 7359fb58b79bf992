import { ApiError, GrpcCode, type Reason } from "../common/api-error.ts"
import type { ProxyRequest } from "./proxy-request.ts"

/**
 * Requires a captcha that was passed, of requests that send a code or sign up without a verification token. It is verified
 * before anything else is asked, because it counts once.
 * @throws ApiError 400 without a token; 403; 503
 */
export async function requireCaptcha({
  configuration,
  captcha,
  captchaToken,
  address,
}: ProxyRequest): Promise<void> {
  if (!configuration.settings.captchaEnabled) return
  if (captcha === undefined)
    throw failed("CAPTCHA_UNCONFIGURED", ": the operator of this auth proxy has set no captcha provider")
  if (captchaToken === "") throw missing()
  const result = await captcha.turnstile.verify(captchaToken, address)
  if (result === "passed" || (result === "unreachable" && captcha.allowsUnreachable)) return
  throw result === "failed" ? failed("CAPTCHA_FAILED") : unreachable()
}

/** The site key with which a page shows the captcha; undefined: it shows none. */
export function siteKeyOf({ configuration, captcha }: ProxyRequest): string | undefined {
  return configuration.settings.captchaEnabled ? captcha?.turnstile.siteKey : undefined
}

/** Published text. */
function missing(): ApiError {
  return new ApiError(
    GrpcCode.invalidArgument,
    "X-Captcha-Token header is required when captcha is enabled",
    { publicCode: "REQUEST_INVALID", reason: "CAPTCHA_MISSING" },
  )
}

/** Published text. */
function failed(reason: Reason, why = ""): ApiError {
  return new ApiError(GrpcCode.permissionDenied, `captcha verification failed${why}`, {
    publicCode: "REQUEST_NOT_AUTHORIZED",
    reason,
  })
}

function unreachable(): ApiError {
  return new ApiError(GrpcCode.unavailable, "the captcha provider cannot be reached now; try again", {
    publicCode: "INTERNAL",
    reason: "CAPTCHA_UNREACHABLE",
  })
}
