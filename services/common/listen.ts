import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { ListenAddress } from "./setting-kinds.ts"

/** Idle connections are kept longer than any client of ours keeps them, so that the client is the one to close. */
const KEEP_ALIVE_MS = 75_000
const REQUEST_TIMEOUT_MS = 60_000
/** After this the requests under way are cut off. */
const CLOSE_TIMEOUT_MS = 10_000
const CLOSE_SWEEP_MS = 50

/** An open door: its address, and how it is shut. */
export type Listening = { url: string; port: number; close(): Promise<void> }

/** Opens a listener; `localhost` means both loopback addresses, IPv6 only where the host has it. */
export async function listen(handler: RequestListener, { host, port }: ListenAddress): Promise<Listening> {
  const first = await open(handler, host === "localhost" ? "127.0.0.1" : host, port)
  const chosen = (first.address() as AddressInfo).port
  const servers = [first]
  if (host === "localhost") {
    try {
      servers.push(await open(handler, "::1", chosen))
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

function open(handler: RequestListener, host: string, port: number): Promise<Server> {
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    handler,
  )
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, () => {
      server.off("error", reject)
      resolve(server)
    })
  })
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
