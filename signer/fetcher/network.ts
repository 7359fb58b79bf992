import { ADDRCONFIG, type LookupAddress } from "node:dns"
import { lookup } from "node:dns/promises"
import { isPublicAddress } from "../core/organization/public-address.ts"

/** Name resolution and trust of outgoing requests; tests replace it. */
export type Network = {
  /** All addresses of a host; called once for each request. */
  resolve(host: string): Promise<LookupAddress[]>
  isPublic(address: string): boolean
  /** Certificate authorities of servers, PEM; undefined: the host's. */
  authorities?: string[]
}

export const internet: Network = {
  resolve: (host) => lookup(host, { all: true, hints: ADDRCONFIG }),
  isPublic: isPublicAddress,
}
