import { isPublicHost } from "../organization/public-address.ts"

/** Longest URL of a webhook, characters. */
const MAX_WEBHOOK_URL = 2048

/** Words for refusals: what a URL of a webhook is. */
export const WEBHOOK_URL_RULE =
  "an https URL without user, password and fragment, of at most 2048 characters, whose host is no private, " +
  "loopback or link-local address and no name inside a network"

/**
 * True if notifications may be sent to a URL, by its spelling: https to a public host. `isLocal`: development, where
 * http and https may also lead to this host's loopback addresses. The addresses of a name are checked at each connection.
 */
export function isWebhookUrl(text: string, isLocal: boolean): boolean {
  if (text.length > MAX_WEBHOOK_URL || !/^https?:\/\/[^\s\\]+$/i.test(text)) return false
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "" || text.includes("#")) return false
  if (isLocal && isLoopbackHost(url.hostname)) return true
  return url.protocol === "https:" && isPublicHost(url.hostname)
}

/** True if the host of a parsed URL is this host, by its spelling. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** True for a resolved loopback address (RFC 5735, RFC 4291 section 2.5.3). */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^127(?:\.\d{1,3}){3}$/.test(address)
}
