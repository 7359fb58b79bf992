import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import type { listenSettings } from "../common/settings.ts"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"
import { CliError, ExitCode } from "../terminal-client/exit.ts"
import { writeAddress } from "../../signer/core/settings/settings.ts"

/**
 * Ports that are chosen for port 0. They are below those of outgoing connections, which could take the port before the program
 * listens on it.
 */
const CHOSEN = { from: 20_000, to: 32_000 } as const
const ATTEMPTS = 20

/** The setting and the address on which each part of the development system listens. */
type Listeners = Readonly<Record<string, readonly [keyof typeof listenSettings, HostAndPort]>>

/**
 * Checks the addresses of all parts, so that every taken port is reported at once, with one line of settings that avoids all.
 *
 * @throws {CliError} unreachable: ports are taken; fault
 */
export async function freeAddresses<Parts extends Listeners>(
  parts: Parts,
): Promise<{ [part in keyof Parts]: HostAndPort }> {
  const free = new Map<string, HostAndPort>()
  const faults: PortError[] = []
  for (const [part, [setting, address]] of Object.entries(parts)) {
    try {
      free.set(part, await freeAddress(setting, address))
    } catch (error) {
      if (!(error instanceof PortError)) throw error
      faults.push(error)
    }
  }
  const [first, ...more] = faults
  if (first === undefined) return Object.fromEntries(free) as { [part in keyof Parts]: HostAndPort }
  if (more.length === 0) throw first
  throw new CliError(
    first.code,
    [
      ...faults.map(({ fault }) => fault.replace(/\. Choose .*$/, "")),
      `For all of them: ${faults.map(({ advice }) => advice).join(" ")}`,
    ],
    { cause: first },
  )
}

/** An address that cannot be listened on. `advice`: a setting that avoids it. */
class PortError extends CliError {
  readonly fault: string
  readonly advice: string

  constructor(code: ExitCode, fault: string, advice: string, cause: unknown) {
    super(code, `${fault}: ${advice}`, { cause })
    this.fault = fault
    this.advice = advice
  }
}

/** Checks that the port is free; for port 0 chooses a free one. @throws {CliError} unreachable: it is taken; fault */
export async function freeAddress(
  setting: keyof typeof listenSettings,
  address: HostAndPort,
): Promise<HostAndPort> {
  if (address.port !== 0) return requireFree(setting, address)
  for (let attempt = 1; ; attempt++) {
    const chosen = { host: address.host, port: randomInt(CHOSEN.from, CHOSEN.to) }
    try {
      return await requireFree(setting, chosen)
    } catch (error) {
      if ((error as CliError).code !== ExitCode.unreachable || attempt === ATTEMPTS) throw error
    }
  }
}

async function requireFree(setting: keyof typeof listenSettings, address: HostAndPort): Promise<HostAndPort> {
  const { host, port } = address
  for (const one of host === "localhost" ? ["127.0.0.1", "::1"] : [host]) {
    try {
      await tryPort(one, port)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (one === "::1" && (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT")) continue
      const advice = `${setting}=${writeAddress(alternative(code, address))}`
      const status = code === "EADDRINUSE" ? ExitCode.unreachable : ExitCode.fault
      throw new PortError(status, explain(code, address), advice, error)
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

function tryPort(host: string, port: number): Promise<void> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, () => server.close(() => resolve()))
  })
}
