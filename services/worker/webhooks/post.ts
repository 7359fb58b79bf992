import { ADDRCONFIG, type LookupAddress } from "node:dns"
import { lookup } from "node:dns/promises"
import http from "node:http"
import https from "node:https"
import type { LookupFunction } from "node:net"
import { isPublicAddress } from "../../../signer/core/organization/public-address.ts"
import { isLoopbackAddress, isLoopbackHost, isWebhookUrl } from "../../../signer/core/webhook/url.ts"

/** The end of one attempt: a status of HTTP, or why there is none. */
export type PostResult =
  | { status: number }
  /** `isForbidden`: the URL leads inside, and nothing was sent. */
  | { fault: string; isForbidden: boolean }

type PosterOptions = {
  /** Development: URLs of this host are allowed, also without TLS. */
  isLocal: boolean
  /** Time for name resolution, connection and the reply's head. */
  timeoutMs: number
  /** Resolves a host to all its addresses, at each connection; absent: the system's resolver. */
  resolve?: (host: string) => Promise<LookupAddress[]>
}

/** Bytes of a reply that are read, so that its connection can be used again. */
const MAX_REPLY_BYTES = 64 * 1024

/** Connections to one host, and for how long an idle one is kept. */
const CONNECTIONS = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4, scheduling: "lifo" } as const

/** An address that must not be dialled. */
class ForbiddenAddress extends Error {}

/**
 * Posts notifications to URLs that users of organizations chose. The address of each connection is checked when it is opened.
 * No redirect is followed, and only the status of a reply is kept.
 */
export class Poster {
  readonly #options: PosterOptions
  readonly #lookups: { readonly public: LookupFunction; readonly loopback: LookupFunction }
  readonly #agents: { http: http.Agent; https: https.Agent }

  constructor(options: PosterOptions) {
    this.#options = options
    const { resolve = resolveBySystem } = options
    this.#lookups = {
      public: checked(resolve, isPublicAddress),
      loopback: checked(resolve, isLoopbackAddress),
    }
    this.#agents = { http: new http.Agent(CONNECTIONS), https: new https.Agent(CONNECTIONS) }
  }

  async post(url: string, headers: { [name: string]: string }, body: string): Promise<PostResult> {
    const { isLocal, timeoutMs } = this.#options
    // The signer has checked it when it was set. The database may have been changed since.
    if (!isWebhookUrl(url, isLocal)) return FORBIDDEN
    const target = new URL(url)
    const bytes = Buffer.from(body)
    const options = {
      method: "POST",
      signal: AbortSignal.timeout(timeoutMs),
      agent: target.protocol === "http:" ? this.#agents.http : this.#agents.https,
      lookup: isLoopbackHost(target.hostname) ? this.#lookups.loopback : this.#lookups.public,
      headers: {
        "content-type": "application/json",
        "content-length": bytes.length,
        "user-agent": "countersign-webhooks",
        ...headers,
      },
      maxHeaderSize: 16 * 1024,
    } as const
    try {
      return { status: await send(target, options, bytes) }
    } catch (error) {
      return error instanceof ForbiddenAddress ? FORBIDDEN : { fault: faultOf(error), isForbidden: false }
    }
  }

  close(): void {
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }
}

const FORBIDDEN: PostResult = {
  fault: "the URL leads to an address that is not public: nothing was sent",
  isForbidden: true,
}

function send(url: URL, options: https.RequestOptions, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const answered = (response: http.IncomingMessage) => {
      const { statusCode = 0 } = response
      let length = 0
      response.on("data", (part: Buffer) => {
        length += part.length
        if (length > MAX_REPLY_BYTES) response.destroy()
      })
      // The status counts, however the rest of the reply ends.
      response.on("close", () => resolve(statusCode))
    }
    const request =
      url.protocol === "http:" ? http.request(url, options, answered) : https.request(url, options, answered)
    request.on("error", reject)
    request.end(body)
  })
}

/** The code of the operating system, of OpenSSL or of Node: closed lists, without text of the receiver. */
function faultOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  // A signal of AbortSignal.timeout, which a request reports by the name of every signal.
  if (name === "AbortError") return "the receiver did not answer in time"
  return `the receiver cannot be reached${typeof code === "string" ? `: ${code}` : ""}`
}

const resolveBySystem = (host: string) => lookup(host, { all: true, hints: ADDRCONFIG })

/**
 * A look-up that gives checked addresses alone, at each connection. Node asks for none where the host is an address:
 * `isWebhookUrl` has checked that one. A name with one address that is not allowed is refused as a whole.
 */
function checked(
  resolve: (host: string) => Promise<LookupAddress[]>,
  isAllowed: (address: string) => boolean,
): LookupFunction {
  const addressesOf = async (host: string): Promise<[LookupAddress, ...LookupAddress[]]> => {
    const [first, ...others] = await resolve(host)
    const isPlain = first !== undefined && [first, ...others].every(({ address }) => isAllowed(address))
    if (!isPlain) throw new ForbiddenAddress()
    return [first, ...others]
  }
  return (host, { all }, answer) => {
    const found = (addresses: [LookupAddress, ...LookupAddress[]]): void => {
      const [first] = addresses
      return all ? answer(null, addresses) : answer(null, first.address, first.family)
    }
    addressesOf(host).then(found, (error: NodeJS.ErrnoException) => answer(error, ""))
  }
}
