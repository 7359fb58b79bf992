import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http"
import type { AddressInfo } from "node:net"
import { answerBrokenRequests } from "./broken-requests.ts"
import { HTTP_LIMITS, type HttpLimits, MAX_HEADER_BYTES } from "./http-limits.ts"
import type { Logger } from "./logger.ts"
import type { HostAndPort } from "../../signer/core/settings/kinds.ts"

/** After this the requests under way are cut off. */
const CLOSE_TIMEOUT_MS = 10_000
const CLOSE_SWEEP_MS = 50

/** An open door: its address, and how it is shut. */
export type Listening = { url: string; port: number; close(): Promise<void> }

/** What answers requests, where those go that are none, and how much patience there is. */
export type Served = { handler: RequestListener; log: Logger; limits?: HttpLimits }

/**
 * Opens a listener; `localhost` means both loopback addresses, IPv6 only where the host has it. The handler refuses
 * what `requireHttp` refuses; whatever is no request at all is answered here.
 */
export async function listen(served: Served, { host, port }: HostAndPort): Promise<Listening> {
  const first = await open(served, host === "localhost" ? "127.0.0.1" : host, port)
  const chosen = (first.address() as AddressInfo).port
  const servers = [first]
  if (host === "localhost") {
    try {
      servers.push(await open(served, "::1", chosen))
    } catch (error) {
      if (!isWithoutIp6(error)) {
        await Promise.all(servers.map(shut))
        throw error
      }
    }
  }
  const shown = host.includes(":") ? `[${host}]` : host
  return {
    url: `http://${shown}:${chosen}`,
    port: chosen,
    close: async () => void (await Promise.all(servers.map(shut))),
  }
}

function open({ handler, log, limits }: Served, host: string, port: number): Promise<Server> {
  const server = createServer(optionsFrom(limits ?? HTTP_LIMITS), handler)
  // Node's own answer has no body; as an ordinary request it is refused like any other.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  answerBrokenRequests(server, log)
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, () => {
      server.off("error", reject)
      resolve(server)
    })
  })
}

function optionsFrom(limits: HttpLimits): ServerOptions {
  return {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    // Refused by the handler, with a body.
    requireHostHeader: false,
  }
}

/** Accepts nothing more, lets what is under way finish, then closes. */
function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS)
    // A connection that was busy becomes idle later, and would then be kept for its client.
    const sweep = setInterval(() => server.closeIdleConnections(), CLOSE_SWEEP_MS)
    server.close(() => {
      clearTimeout(cutOff)
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function isWithoutIp6(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT"
}
