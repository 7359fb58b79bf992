import { createServer } from "node:net"
import type { listenSettings } from "../../common/settings.ts"
import type { HostAndPort } from "../../../signer/core/settings/settings.ts"
import { CliError, ExitCode } from "../exit.ts"
import { writeAddress } from "../settings.ts"

/** Checks that the port is free; for port 0 chooses a free one. @throws {CliError} unreachable: it is taken; fault */
export async function freeAddress(
  setting: keyof typeof listenSettings,
  address: HostAndPort,
): Promise<HostAndPort> {
  const { host } = address
  let { port } = address
  for (const one of host === "localhost" ? ["127.0.0.1", "::1"] : [host]) {
    try {
      port = await tryPort(one, port)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (one === "::1" && (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT")) continue
      const advice = `${setting}=${writeAddress(alternative(code, address))}`
      const status = code === "EADDRINUSE" ? ExitCode.unreachable : ExitCode.fault
      throw new CliError(status, `${explain(code, address)}: ${advice}`, { cause: error })
    }
  }
  return { host, port }
}

/** A suggested address: another port, or the loopback if the host cannot be used. */
function alternative(code: string | undefined, { host, port }: HostAndPort): HostAndPort {
  if (code !== "EADDRINUSE") return { host: "localhost", port: 8090 }
  return { host, port: port + 10 > 65_535 ? port - 10 : port + 10 }
}

function explain(code: string | undefined, address: HostAndPort): string {
  const shown = writeAddress(address)
  if (code === "EADDRINUSE")
    return `port ${address.port} is taken: another program listens on ${shown}. Choose another`
  if (code === "EACCES") return `this user may not listen on ${shown}. Choose a port above 1023`
  return `cannot listen on ${shown} (${code}). Choose another address`
}

function tryPort(host: string, port: number): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address ? address.port : port))
    })
  })
}
