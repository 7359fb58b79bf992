import type { LookupAddress } from "node:dns"
import http from "node:http"
import https from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Refusal, refuse } from "../core/refusal.ts"
import type { Network } from "./network.ts"

/** Time for name resolution, connection and the whole reply. */
const DEADLINE_MS = 5_000
/** Largest document: configurations have 2 KB, key sets of large issuers 10 KB. */
const MAX_BYTES = 256 * 1024

/** Status codes below 500 after which a request may be repeated (RFC 9110, RFC 6585, RFC 8470). */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429])

export type Download = {
  url: URL
  /** Allows plain HTTP and addresses that are not public: the operator listed this origin. */
  isLocal: boolean
  deadlineMs?: number
}

/**
 * Downloads and reads one document. Where a reply marks its end by closing the connection alone (RFC 9112 section 6.3),
 * nothing tells a whole document from one that was cut off. If such a document cannot be read, the task may be repeated.
 *
 * @param read throws a refusal for a document that is not what it should be
 * @throws ISSUER_NOT_ALLOWED, ISSUER_ADDRESS_NOT_PUBLIC, ISSUER_INVALID, FETCH_FAILED, the codes of `read`
 */
export async function downloadAs<Document>(
  read: (body: Uint8Array) => Document,
  order: Download,
  network: Network,
): Promise<Document> {
  const { body, hasMarkedEnd } = await downloadReply(order, network)
  try {
    return read(body)
  } catch (error) {
    if (hasMarkedEnd) throw error
    throw refuse("FETCH_FAILED", `the reply of the OIDC issuer's ${order.url.host} ended early`, {
      cause: error,
    })
  }
}

/** A document. `hasMarkedEnd`: the reply named its length or sent chunks, and all of it has come. */
type Reply = { body: Uint8Array; hasMarkedEnd: boolean }

/**
 * Downloads one document at a URL that an attacker may have chosen. The name is resolved once, and the connection goes to
 * an address that was checked. No redirect is followed, time and size are bounded, and nothing but the URL is sent.
 *
 * @throws ISSUER_NOT_ALLOWED, ISSUER_ADDRESS_NOT_PUBLIC, ISSUER_INVALID, FETCH_FAILED
 */
async function downloadReply(
  { url, isLocal, deadlineMs = DEADLINE_MS }: Download,
  network: Network,
): Promise<Reply> {
  if (url.protocol !== "https:" && !(isLocal && url.protocol === "http:")) {
    throw refuse("ISSUER_NOT_ALLOWED", notAllowed(url, "is not https"))
  }
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    const addresses = await abortable(signal, network.resolve(hostOf(url)))
    if (!isLocal && !addresses.every(({ address }) => network.isPublic(address))) {
      throw refuse("ISSUER_ADDRESS_NOT_PUBLIC", notAllowed(url, "is at an address that is not public"))
    }
    return await get(url, { addresses, signal, authorities: network.authorities })
  } catch (error) {
    if (error instanceof Refusal) throw error
    const why = signal.aborted ? "did not answer in time" : "cannot be reached"
    throw refuse("FETCH_FAILED", `the OIDC issuer's ${url.host} ${why}`, { cause: error })
  }
}

type Route = { addresses: LookupAddress[]; signal: AbortSignal; authorities: string[] | undefined }

function get(url: URL, { addresses, signal, authorities }: Route): Promise<Reply> {
  const options = {
    signal,
    // No shared agent: a kept-alive connection was made for another order.
    agent: false,
    lookup: resolvedTo(addresses),
    headers: { accept: "application/json", "accept-encoding": "identity", "user-agent": "countersign" },
    maxHeaderSize: 16 * 1024,
  } as const
  return new Promise((resolve, reject) => {
    const answered = (response: http.IncomingMessage) => {
      readBody(response, url).then(resolve, (error: unknown) => {
        request.destroy()
        reject(error)
      })
    }
    const request =
      url.protocol === "https:"
        ? https.get(url, { ...options, ...(authorities && { ca: authorities }) }, answered)
        : http.get(url, options, answered)
    request.once("error", reject)
  })
}

async function readBody(response: http.IncomingMessage, url: URL): Promise<Reply> {
  const { statusCode = 0, headers } = response
  if (statusCode >= 500 || TEMPORARY.has(statusCode)) throw new Error(`status ${statusCode}`)
  if (statusCode !== 200) throw unusable(url, `answers with status ${statusCode}`)
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_BYTES) throw unusable(url, `answers with more than ${MAX_BYTES} bytes`)
    parts.push(part)
  }
  if (!response.complete) throw new Error("the reply was cut off")
  const hasMarkedEnd = "content-length" in headers || "transfer-encoding" in headers
  return { body: Buffer.concat(parts), hasMarkedEnd }
}

/** A look-up that gives the checked addresses, without resolving the name again. */
function resolvedTo(addresses: LookupAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses
    if (first === undefined) callback(new Error("the name has no address"), "")
    else if (all) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
}

/** The host without the brackets that a URL puts around IPv6. */
function hostOf({ hostname }: URL): string {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1")
  return isIP(bare) === 6 ? bare : hostname
}

/** Stops waiting at the signal: a look-up by the system cannot be interrupted. */
function abortable<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("too late")))
    work.then(resolve, reject)
  })
}

function notAllowed(url: URL, why: string): string {
  return `the OIDC issuer is not allowed: its ${url.host} ${why}`
}

function unusable(url: URL, why: string): Refusal {
  return refuse("ISSUER_INVALID", `the OIDC issuer cannot be used: its ${url.host} ${why}`)
}
