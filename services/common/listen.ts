import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http"
import type { AddressInfo } from "node:net"
import { answerBrokenRequests } from "./broken-requests.ts"
import { closeOnUnreadBodies } from "./unread-bodies.ts"
import { ClosingListener } from "./closing-listener.ts"
import { ConnectionLimits } from "./connection-limits.ts"
import { HTTP_LIMITS, type HttpLimits, MAX_HEADER_BYTES } from "./http-limits.ts"
import type { Logger } from "./logger.ts"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"

/** An open listener. `close` accepts no new connection, lets requests under way finish, and ends connections. */
export type Listening = { url: string; port: number; close(): Promise<void> }

/**
 * The request handler, the log for broken requests, and the limits of connections. `isOwn`: processes of one cluster do not share the
 * address.
 */
export type ListenOptions = {
  handler: RequestListener
  log: Logger
  limits?: HttpLimits
  isOwn?: boolean
}

/**
 * Opens a listener; `localhost` means both loopback addresses, IPv6 only where the host has it. The handler refuses
 * what `requireHttp` refuses; bytes that are no request are answered here.
 */
export async function listen(options: ListenOptions, { host, port }: HostAndPort): Promise<Listening> {
  const { log, limits = HTTP_LIMITS } = options
  const closing = new ClosingListener(limits)
  const served = { ...options, limits, closing, connections: new ConnectionLimits(limits, log) }
  const first = await open(served, host === "localhost" ? "127.0.0.1" : host, port)
  const chosen = (first.address() as AddressInfo).port
  if (host === "localhost") {
    try {
      await open(served, "::1", chosen)
    } catch (error) {
      if (!isWithoutIp6(error)) {
        await closing.close()
        throw error
      }
    }
  }
  const shown = host.includes(":") ? `[${host}]` : host
  return {
    url: `http://${shown}:${chosen}`,
    port: chosen,
    close: () => closing.close(),
  }
}

type Served = ListenOptions & {
  limits: HttpLimits
  connections: ConnectionLimits
  closing: ClosingListener
}

function open(
  { handler, log, limits, isOwn = false, connections, closing }: Served,
  host: string,
  port: number,
): Promise<Server> {
  const server = createServer(optionsFrom(limits), handler)
  // Node's own reply has no body; as an ordinary request it is refused with one.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  // Node itself would ask for every body; the handler asks for those that it reads.
  server.on("checkContinue", (request, response) => server.emit("request", request, response))
  answerBrokenRequests(server, log)
  closeOnUnreadBodies(server)
  connections.watch(server)
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ port, host, exclusive: isOwn }, () => {
      server.off("error", reject)
      closing.watch(server)
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

function isWithoutIp6(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT"
}
