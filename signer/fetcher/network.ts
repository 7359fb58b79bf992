import { ADDRCONFIG, type LookupAddress } from "node:dns"
import { lookup } from "node:dns/promises"
import { isPublicAddress } from "./address.ts"

/** How far requests reach; tests bring names, addresses and authorities of their own. */
export type Network = {
  /** All addresses of a host; asked once for each request. */
  resolve(host: string): Promise<LookupAddress[]>
  isPublic(address: string): boolean
  /** Authorities of servers' certificates, PEM; undefined: those of the host. */
  authorities?: string[]
}

export const theInternet: Network = {
  resolve: (host) => lookup(host, { all: true, hints: ADDRCONFIG }),
  isPublic: isPublicAddress,
}
