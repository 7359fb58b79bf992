import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { FAULT, StartError } from "../../../core/settings/start-fault.ts"

/** Codes of a machine without IPv6: nobody can listen there. */
const NO_IPV6: readonly unknown[] = ["EADDRNOTAVAIL", "EAFNOSUPPORT"]

/** The last answers leave within this time. Browsers also open connections on which they ask nothing, and keep them. */
const LINGER_MS = 1000

export type Loopback = { port: number; servers: readonly Server[] }

/**
 * Listens on one port of both addresses that `localhost` has. Browsers try `::1` first: if it were free, another user of the machine could
 * listen there, and learn the page's address from the first request.
 *
 * @throws {StartError} when another program has the port on `::1`
 */
export async function listenOnLoopback(answer: RequestListener, wanted = 0): Promise<Loopback> {
  const servers = [createServer(answer), createServer(answer)] as const
  await listen(servers[0], wanted, "127.0.0.1")
  const { port } = servers[0].address() as AddressInfo
  try {
    await listen(servers[1], port, "::1")
    return { port, servers }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (NO_IPV6.includes(code)) return { port, servers: [servers[0]] }
    servers[0].close()
    const sentence = `another program may listen on [::1]:${port} (${code}), and would get the browser's requests; give the command again`
    throw new StartError(FAULT, sentence, { cause })
  }
}

const listen = (server: Server, port: number, host: string) =>
  new Promise<void>((listening, reject) => {
    server.once("error", reject)
    server.listen(port, host, listening)
  })

/** Ends both servers. `isAnswered`: the last answer is still on its way. */
export function closeLoopback({ servers }: Loopback, isAnswered: boolean): void {
  const closeAll = () => servers.forEach((server) => server.closeAllConnections())
  for (const server of servers) server.close()
  if (isAnswered) setTimeout(closeAll, LINGER_MS).unref()
  else closeAll()
}
