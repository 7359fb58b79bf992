import type { IncomingMessage } from "node:http"
import {
  type IpAddress,
  type IpBlock,
  isInBlock,
  readIpAddress,
} from "../../../signer/core/organization/ip-block.ts"

/** What is looked at of a request. */
export type Arrival = Pick<IncomingMessage, "headers"> & {
  socket: Pick<IncomingMessage["socket"], "remoteAddress">
}

/**
 * The address a request comes from: that of the connection; where that is a trusted proxy's, the last one of
 * X-Forwarded-For that is none. Anybody may write that header, and each proxy adds to its end what it saw, so only
 * what stands behind the last untrusted address is known to be true.
 *
 * Undefined: it cannot be told. A trusted proxy said nothing, or something that is no address.
 */
export function clientAddress(
  { socket, headers }: Arrival,
  trustedProxies: readonly IpBlock[],
): IpAddress | undefined {
  const isTrusted = (address: IpAddress) => trustedProxies.some((block) => isInBlock(address, block))
  const peer = readIpAddress((socket.remoteAddress ?? "").replace(/%.*$/, ""))
  if (peer === undefined || !isTrusted(peer)) return peer
  const forwarded = headers["x-forwarded-for"]
  const said = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",")
  let nearest: IpAddress | undefined
  for (const text of said.toReversed()) {
    nearest = readIpAddress(text.trim())
    if (nearest === undefined || !isTrusted(nearest)) return nearest
  }
  return nearest
}
