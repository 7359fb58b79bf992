import type { IncomingMessage } from "node:http"
import {
  type IpAddress,
  type IpBlock,
  isInBlock,
  readIpAddress,
} from "../../signer/core/organization/ip-block.ts"

/** The parts of a request that show its origin. */
export type ClientConnection = Pick<IncomingMessage, "headers"> & {
  socket: Pick<IncomingMessage["socket"], "remoteAddress">
}

/**
 * The client's address. If the connection comes from a trusted proxy, it is the last address of X-Forwarded-For that is
 * not a trusted proxy's. Clients can forge the header, but each proxy appends the address that it saw: entries before
 * the last untrusted address prove nothing.
 *
 * Undefined: a trusted proxy sent no address, or an invalid one.
 */
export function clientAddress(
  { socket, headers }: ClientConnection,
  trustedProxies: readonly IpBlock[],
): IpAddress | undefined {
  const isTrusted = (address: IpAddress) => trustedProxies.some((block) => isInBlock(address, block))
  const peer = readIpAddress((socket.remoteAddress ?? "").replace(/%.*$/, ""))
  if (peer === undefined || !isTrusted(peer)) return peer
  const forwarded = headers["x-forwarded-for"]
  const hops = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",")
  let nearest: IpAddress | undefined
  for (const text of hops.toReversed()) {
    nearest = readIpAddress(text.trim())
    if (nearest === undefined || !isTrusted(nearest)) return nearest
  }
  return nearest
}
