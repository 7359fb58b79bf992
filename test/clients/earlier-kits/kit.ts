// The part that pages of earlier kits share: two functions for the test, which act as a page's own code would.
import type { PageConfiguration } from "../../../examples/login/page/configuration.ts"

/** A code under way, in the first version and in the second. */
type Begun = string | { otpId: string; otpEncryptionTargetBundle: string }

/** A client of `@turnkey/core`, as far as both versions have it. */
type Kit = {
  initOtp(request: object): Promise<Begun>
  completeOtp(request: object): Promise<{ action: string }>
  fetchUser(): Promise<{ userId: string; userEmail?: string; userPhoneNumber?: string }>
  getSession(): Promise<{ organizationId: string } | undefined>
  logout(): Promise<void>
}

/** How the kit is to be set up. */
type KitConfiguration = Pick<PageConfiguration, "authProxyUrl" | "authProxyConfigId" | "organizationId"> & {
  apiBaseUrl: string
}

/** Gives the page's functions to the test, once the kit is ready. */
export async function expose(start: (configuration: KitConfiguration) => Promise<unknown>): Promise<void> {
  const { apiUrl, ...rest } = (await (await fetch("/configuration.json")).json()) as PageConfiguration
  const { authProxyUrl, authProxyConfigId, organizationId } = rest
  const configuration = { apiBaseUrl: apiUrl, authProxyUrl, authProxyConfigId, organizationId }
  const kit = (await start(configuration)) as Kit
  let begun: Begun
  const begin = withCause(async (otpType: string, contact: string) => {
    begun = await kit.initOtp({ otpType, contact })
  })
  /** Signs up, or logs in; who that was, as the API says with the session's key. */
  const complete = withCause(async (otpType: string, contact: string, otpCode: string) => {
    const code = typeof begun === "string" ? { otpId: begun } : begun
    const { action } = await kit.completeOtp({ ...code, otpCode, contact, otpType })
    const { userId, userEmail = "", userPhoneNumber = "" } = await kit.fetchUser()
    const { organizationId } = (await kit.getSession())!
    await kit.logout()
    return { action, userId, contact: userEmail || userPhoneNumber, organizationId }
  })
  Object.assign(globalThis, { begin, complete })
  document.getElementById("state")!.textContent = "ready"
}

/** The kit's errors say what the service said in their cause alone. */
function withCause<Args extends string[], Result>(act: (...args: Args) => Promise<Result>) {
  return (...args: Args): Promise<Result> =>
    act(...args).catch((error: unknown) => {
      const { message, cause } = error as Error
      throw new Error(`${message}: ${String(cause)}`)
    })
}
