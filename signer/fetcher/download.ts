import { type Refusal, refuse } from "../core/refusal.ts"
import { isTemporary, MAX_BYTES, type Outgoing, RequestFault, sendRequest } from "./http-request.ts"
import type { Network } from "./network.ts"

export type Download = Pick<Outgoing, "url" | "isLocal" | "deadlineMs">

/**
 * Downloads and reads one document of an OIDC issuer. If a reply marks its end only by closing the connection (RFC 9112 section
 * 6.3), a whole document cannot be distinguished from a truncated one. If such a document cannot be read, the task may be
 * repeated. Only the URL is sent.
 *
 * @param read throws a refusal for a document that is not what it should be
 * @throws ISSUER_NOT_ALLOWED, ISSUER_ADDRESS_NOT_PUBLIC, ISSUER_INVALID, FETCH_FAILED, the codes of `read`
 */
export async function downloadAs<Document>(
  read: (body: Uint8Array) => Document,
  order: Download,
  network: Network,
): Promise<Document> {
  const { url } = order
  const { body, hasMarkedEnd } = await sendRequest(order, network, async (reply) => {
    if (isTemporary(reply.status)) throw new Error(`status ${reply.status}`)
    if (reply.status !== 200) throw unusable(url, `answers with status ${reply.status}`)
    return { body: await reply.read(), hasMarkedEnd: reply.hasMarkedEnd }
  }).catch((error: unknown) => {
    throw error instanceof RequestFault ? refusalOf(error, url) : error
  })
  try {
    return read(body)
  } catch (error) {
    if (hasMarkedEnd) throw error
    throw refuse("FETCH_FAILED", `the reply of the OIDC issuer's ${url.host} ended early`, { cause: error })
  }
}

function refusalOf({ fault, cause }: RequestFault, url: URL): Refusal {
  switch (fault) {
    case "not-https":
      return refuse("ISSUER_NOT_ALLOWED", notAllowed(url, "is not https"))
    case "not-public":
      return refuse("ISSUER_ADDRESS_NOT_PUBLIC", notAllowed(url, "is at an address that is not public"))
    case "too-large":
      return unusable(url, `answers with more than ${MAX_BYTES} bytes`)
    case "late":
      return refuse("FETCH_FAILED", `the OIDC issuer's ${url.host} did not answer in time`, { cause })
    case "unreachable":
      return refuse("FETCH_FAILED", `the OIDC issuer's ${url.host} cannot be reached`, { cause })
    default:
      return fault satisfies never
  }
}

function notAllowed(url: URL, why: string): string {
  return `the OIDC issuer is not allowed: its ${url.host} ${why}`
}

function unusable(url: URL, why: string): Refusal {
  return refuse("ISSUER_INVALID", `the OIDC issuer cannot be used: its ${url.host} ${why}`)
}
