import { connect, createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import type { HostAndPort } from "../../../signer/core/settings/settings.ts"
import type { LocalCertificate } from "./certificate.ts"

/** The first byte of TLS: a record of the handshake (RFC 8446 §5.1). No method of HTTP begins with it. */
const HANDSHAKE = 0x16

/**
 * Terminates TLS at a loopback address, and relays to a listener that speaks HTTP, until the signal. Plain HTTP is relayed too, so that
 * commands of this host need no certificate.
 */
export async function openTlsProxy(
  address: HostAndPort,
  target: HostAndPort,
  { certificate, key }: Pick<LocalCertificate, "certificate" | "key">,
  signal: AbortSignal,
): Promise<void> {
  const sockets = new Set<Socket>()
  const relay = (from: Socket) => {
    const to = connect(target.port, target.host === "localhost" ? "127.0.0.1" : target.host)
    // One end that closes or fails closes the other.
    from.on("error", () => to.destroy()).on("close", () => to.destroy())
    to.on("error", () => from.destroy()).on("close", () => from.destroy())
    from.pipe(to).pipe(from)
  }
  const secure = createTlsServer({ cert: certificate, key }, relay)
  const accept = (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy())
    socket.once("data", (first) => {
      socket.pause()
      socket.unshift(first)
      if ((first as Buffer)[0] === HANDSHAKE) secure.emit("connection", socket)
      else relay(socket)
    })
  }
  const hosts = address.host === "localhost" ? ["127.0.0.1", "::1"] : [address.host]
  const servers = await Promise.all(hosts.map((host) => open(accept, host, address.port)))
  const close = () => {
    for (const server of servers) server?.close()
    for (const socket of sockets) socket.destroy()
  }
  if (signal.aborted) close()
  else signal.addEventListener("abort", close, { once: true })
}

/** Undefined: the host has no IPv6. */
function open(accept: (socket: Socket) => void, host: string, port: number): Promise<Server | undefined> {
  const server = createServer(accept)
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isWithoutIp6 = host === "::1" && ["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(error.code ?? "")
      if (isWithoutIp6) resolve(undefined)
      else reject(error)
    })
    server.listen(port, host, () => resolve(server))
  })
}
