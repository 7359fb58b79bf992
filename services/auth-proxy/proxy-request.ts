import type { Captcha } from "./turnstile.ts"
import type { Configuration } from "./configurations.ts"
import type { OrganizationClient } from "./organization-client.ts"

/** A request that was read, for one organization. */
export type ProxyRequest = {
  /** The request by its rules, and its members as they were sent. */
  message: unknown
  clean: { readonly [member: string]: unknown }
  configuration: Configuration
  organization: Pick<OrganizationClient, "query" | "submit">
  /** The captcha provider; undefined: the operator has set none. */
  captcha: Captcha | undefined
  /** Value of X-Captcha-Token; "": absent. */
  captchaToken: string
  /** The caller's address; undefined: not known. */
  address: string | undefined
  nowMs: number
}
