import { encryptOtpCodeToBundle, verifyOtpVerificationToken } from "@turnkey/crypto"
import { asRoot, type Fixture } from "../hostile/setup.ts"
import { type Tenant, valueOf } from "./api-client.ts"
import type { FakeFetcher } from "./fake-fetcher.ts"

export const MAIL = "ann@example.com"

/** The one text of all refusals of a code. */
export const WRONG = { is: "refused", code: "OTP_CODE_INVALID", sentence: "Invalid OTP code" }

/** Parameters that ask for a code by mail. */
export function asking(changes: object = {}) {
  return { otpType: "OTP_TYPE_EMAIL", contact: MAIL, appName: "Acme", ...changes }
}

/** Parameters of create_email_template. */
export function emailTemplate(changes: object = {}) {
  const html = "<p>{{ .OtpCode }} for {{ .AppName }}</p>"
  return { templateName: "Codes", templateType: "EMAIL_TEMPLATE_TYPE_OTP", html, ...changes }
}

/** The signing half of the fetcher's key set, as published clients take it in place of their own pin. */
export function bundleKey({ keySet }: Pick<FakeFetcher, "keySet">): string {
  return keySet.publicHex.slice(130)
}

/** Seals a code as published clients do. */
export function sealCode(
  code: string,
  bundle: string,
  publicKey: string,
  fetcher: Pick<FakeFetcher, "keySet">,
) {
  return encryptOtpCodeToBundle(code, bundle, publicKey, bundleKey(fetcher))
}

/** The claims of a token as the published client reads them, at the time of the tests. */
export async function publishedClaims(token: string, { fakeFetcher, boundary }: Fixture): Promise<object> {
  const { now } = Date
  Date.now = () => boundary.clock.wallMs()
  try {
    return await verifyOtpVerificationToken(token, bundleKey(fakeFetcher))
  } finally {
    Date.now = now
  }
}

/** A code that is certainly another one. */
export function otherCode(code: string): string {
  return (code.startsWith("2") ? "3" : "2") + code.slice(1)
}

/** Requests for codes by the root user of an organization that has switched them on. Each has a time of its own. */
export async function codes(fixture: Fixture, acme: Tenant = fixture.acme) {
  const { client, boundary, fakeFetcher } = fixture
  const root = asRoot({ client, acme })
  const submit = (type: string, parameters: object) => {
    boundary.clock.pass(1)
    return root.submit(type, parameters)
  }
  const attempt = (type: string, parameters: object) => {
    boundary.clock.pass(1)
    return root.attempt(type, parameters)
  }
  for (const name of ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"])
    await submit("SET_ORGANIZATION_FEATURE", { name, value: "" })
  return {
    submit,
    attempt,
    /** Sends a code that comes back sealed. */
    async start(changes: object = {}) {
      const outcome = await submit("INIT_OTP_V3", asking(changes))
      const { otpId, otpEncryptionTargetBundle: bundle } = valueOf(outcome, "initOtpResultV2")
      return { otpId, bundle, code: fakeFetcher.newestCode }
    },
    /** Sends a code that comes back in clear. */
    async startPlain(changes: object = {}) {
      const { otpId } = valueOf(await submit("INIT_OTP_V2", asking(changes)), "initOtpResult")
      return { otpId, otpCode: fakeFetcher.newestCode }
    },
    /** The token for a right code. */
    async verify(type: string, parameters: object): Promise<string> {
      return valueOf(await submit(type, parameters), "verifyOtpResult").verificationToken
    },
  }
}
