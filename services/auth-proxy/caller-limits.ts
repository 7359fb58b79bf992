import type { IncomingMessage } from "node:http"
import {
  type IpAddress,
  type IpBlock,
  writeIpAddress,
  writeIpBlock,
} from "../../signer/core/organization/ip-block.ts"
import { clientAddress } from "../common/client-address.ts"
import { RateLimit } from "../common/rate-limit.ts"

/** Requests at once, as a multiple of those of a second: a page sends several when it opens. */
const BURST_SECONDS = 10

/** A network that one customer of a provider has (RFC 6177): its host changes addresses at will. */
const IPV6_PREFIX = 64

export type CallerLimitsOptions = {
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly IpBlock[]
  /** True if a proxy is in front, listed or not. */
  isBehindProxy: boolean
  /** Requests a second. */
  perAddress: number
  perConfiguration: number
  /** Monotonic milliseconds. */
  elapsedMs?: () => number
}

/**
 * Rates of requests by address and by configuration. They bound what one page or host can cause in the core API and send
 * to people; codes of a contact are counted by the fetcher. At most 50,000 callers of each kind are remembered.
 */
export class CallerLimits {
  readonly #options: CallerLimitsOptions
  readonly #ofAddress: RateLimit
  readonly #ofConfiguration: RateLimit

  constructor(options: CallerLimitsOptions) {
    const { perAddress, perConfiguration, elapsedMs } = options
    const limit = (perSecond: number) =>
      new RateLimit({ perSecond, burst: perSecond * BURST_SECONDS, ...(elapsedMs && { elapsedMs }) })
    this.#options = options
    this.#ofAddress = limit(perAddress)
    this.#ofConfiguration = limit(perConfiguration)
  }

  /**
   * Counts a request of an address, before anything of it is read. Behind a proxy that is not listed all callers have one
   * address, so none is counted. Requests without an address that a listed proxy states count together.
   * @throws ApiError 429
   */
  countAddress(request: IncomingMessage): void {
    if (this.#isShared) return
    const address = this.#read(request)
    this.#ofAddress.take(address === undefined ? "" : networkOf(address))
  }

  /** Counts a request of a known configuration. @throws ApiError 429 */
  countConfiguration(configId: string): void {
    this.#ofConfiguration.take(configId)
  }

  /** The caller's address; undefined: it is not known. */
  addressOf(request: IncomingMessage): string | undefined {
    const address = this.#isShared ? undefined : this.#read(request)
    return address && writeIpAddress(address)
  }

  get #isShared(): boolean {
    const { isBehindProxy, trustedProxies } = this.#options
    return isBehindProxy && trustedProxies.length === 0
  }

  #read(request: IncomingMessage): IpAddress | undefined {
    return clientAddress(request, this.#options.trustedProxies)
  }
}

function networkOf(address: IpAddress): string {
  const { bits, value } = address
  if (bits === 32) return writeIpAddress(address)
  const behind = BigInt(bits - IPV6_PREFIX)
  return writeIpBlock({ bits, first: (value >> behind) << behind, prefix: IPV6_PREFIX })
}
