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
 * Downloads one document at a URL that an attacker may have chosen. The name is resolved once, and the connection goes to
 * an address that was checked. No redirect is followed, time and size are bounded, and nothing but the URL is sent.
 *
 * @throws ISSUER_NOT_ALLOWED, ISSUER_ADDRESS_NOT_PUBLIC, ISSUER_INVALID, FETCH_FAILED
 */
export async function download(
  { url, isLocal, deadlineMs = DEADLINE_MS }: Download,
  network: Network,
): Promise<Uint8Array> {
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

function get(url: URL, { addresses, signal, authorities }: Route): Promise<Uint8Array> {
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

async function readBody(response: http.IncomingMessage, url: URL): Promise<Uint8Array> {
  const { statusCode = 0 } = response
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
  return Buffer.concat(parts)
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
