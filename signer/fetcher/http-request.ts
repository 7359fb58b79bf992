import type { LookupAddress } from "node:dns"
import http from "node:http"
import https from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Refusal } from "../core/refusal.ts"
import type { Network } from "./network.ts"

/** Time for name resolution, connection and the whole reply. */
const DEADLINE_MS = 5_000
/** Largest document: configurations have 2 KB, key sets of large issuers 10 KB. */
export const MAX_BYTES = 256 * 1024

export type Outgoing = {
  url: URL
  /** Allows plain HTTP and addresses that are not public: the operator named this origin. */
  isLocal: boolean
  /** A body to POST; absent: the request is a GET. */
  body?: string
  /** Type of the body; absent: JSON. */
  contentType?: string
  /** Value of Authorization, which holds a secret or proves the possession of one. */
  authorization?: string
  deadlineMs?: number
}

/** A reply whose head has come. */
export type HttpReply = {
  status: number
  /** The reply names its length or is sent in chunks: `read` then fails for one that was cut off. */
  hasMarkedEnd: boolean
  /** @throws RequestFault too-large */
  read(): Promise<Uint8Array>
}

/** Reasons for which a request has no reply that can be used. */
export type RequestFaultReason = "not-https" | "not-public" | "too-large" | "late" | "unreachable"

export class RequestFault extends Error {
  readonly fault: RequestFaultReason

  constructor(fault: RequestFaultReason, options?: ErrorOptions) {
    super(fault, options)
    this.name = "RequestFault"
    this.fault = fault
  }
}

/**
 * Sends one request to a URL that an attacker may have chosen. The name is resolved once, and the connection goes to an
 * address that was checked. No redirect is followed; time and size are bounded. The connection ends with `take`.
 *
 * @param take reads the reply; its refusals pass through, its other errors count as faults of the connection
 * @throws {RequestFault}
 */
export async function sendRequest<T>(
  { deadlineMs = DEADLINE_MS, ...outgoing }: Outgoing,
  network: Network,
  take: (reply: HttpReply) => Promise<T>,
): Promise<T> {
  const { url, isLocal } = outgoing
  if (url.protocol !== "https:" && !(isLocal && url.protocol === "http:")) throw new RequestFault("not-https")
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    const addresses = await abortable(signal, network.resolve(hostOf(url)))
    if (!isLocal && !addresses.every(({ address }) => network.isPublic(address)))
      throw new RequestFault("not-public")
    return await send(outgoing, { addresses, signal, authorities: network.authorities }, take)
  } catch (error) {
    if (error instanceof Refusal || error instanceof RequestFault) throw error
    throw new RequestFault(signal.aborted ? "late" : "unreachable", { cause: error })
  }
}

type Route = { addresses: LookupAddress[]; signal: AbortSignal; authorities: string[] | undefined }

function send<T>(
  { url, body, contentType = "application/json", authorization }: Outgoing,
  { addresses, signal, authorities }: Route,
  take: (reply: HttpReply) => Promise<T>,
): Promise<T> {
  const options = {
    method: body === undefined ? "GET" : "POST",
    signal,
    // No shared agent: a kept-alive connection was made for another order.
    agent: false,
    lookup: resolvedTo(addresses),
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "countersign",
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && {
        "content-type": contentType,
        "content-length": Buffer.byteLength(body),
      }),
    },
    maxHeaderSize: 16 * 1024,
  } as const
  return new Promise((resolve, reject) => {
    const answered = (response: http.IncomingMessage) => {
      take(replyOf(response)).then(resolve, (error: unknown) => {
        request.destroy()
        reject(error)
      })
    }
    const request =
      url.protocol === "https:"
        ? https.request(url, { ...options, ...(authorities && { ca: authorities }) }, answered)
        : http.request(url, options, answered)
    request.once("error", reject)
    request.end(body)
  })
}

function replyOf(response: http.IncomingMessage): HttpReply {
  const { statusCode: status = 0, headers } = response
  const hasMarkedEnd = "content-length" in headers || "transfer-encoding" in headers
  return { status, hasMarkedEnd, read: () => readBody(response) }
}

async function readBody(response: http.IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_BYTES) throw new RequestFault("too-large")
    parts.push(part)
  }
  if (!response.complete) throw new Error("the reply was cut off")
  return Buffer.concat(parts)
}

/** Status codes below 500 after which a request may be repeated (RFC 9110, RFC 6585, RFC 8470). */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429])

/** True if a request that got this status may be repeated. */
export function isTemporary(status: number): boolean {
  return status >= 500 || TEMPORARY.has(status)
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
