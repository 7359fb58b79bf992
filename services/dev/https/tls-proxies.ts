import type { HostAndPort } from "../../../signer/core/settings/settings.ts"
import { writeAddress } from "../../../signer/core/settings/settings.ts"
import { CliError, ExitCode } from "../../terminal-client/exit.ts"
import type { Layout } from "../layout.ts"
import { freeAddress } from "../port.ts"
import { localCertificate } from "./certificate.ts"
import { openTlsProxy } from "./tls-proxy.ts"

/** Listeners that browsers and clients reach. */
const SERVED = ["api", "authProxy", "dashboard"] as const
type Served = Readonly<Record<(typeof SERVED)[number], HostAndPort>>

/** TLS proxies of the listeners. `listen`: addresses for the listeners; `urls`: where callers reach the proxies. */
export type TlsProxies = {
  listen: Served
  urls: Readonly<Record<(typeof SERVED)[number], string>>
  authorityFile: string
}

/** Opens HTTPS at the given addresses until the signal. @throws {CliError} */
export async function openTlsProxies(
  addresses: Served,
  { layout, environment, signal }: { layout: Layout; environment: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<TlsProxies> {
  for (const name of SERVED) requireCertified(name, addresses[name])
  const certificate = await localCertificate(layout, environment, signal)
  const opened = await Promise.all(
    SERVED.map(async (name) => {
      const inner = await freeAddress("COUNTERSIGN_API_LISTEN", { host: "127.0.0.1", port: 0 })
      await openTlsProxy(addresses[name], inner, certificate, signal)
      return [name, inner, `https://${writeAddress(addresses[name])}`] as const
    }),
  )
  return {
    listen: Object.fromEntries(opened.map(([name, inner]) => [name, inner])) as unknown as Served,
    urls: Object.fromEntries(opened.map(([name, , url]) => [name, url])) as TlsProxies["urls"],
    authorityFile: certificate.authorityFile,
  }
}

const SETTINGS = {
  api: "COUNTERSIGN_API_LISTEN",
  authProxy: "COUNTERSIGN_AUTH_PROXY_LISTEN",
  dashboard: "COUNTERSIGN_DASHBOARD_LISTEN",
} as const

/** A caller would refuse the certificate at another name of the loopback. */
function requireCertified(name: (typeof SERVED)[number], address: HostAndPort): void {
  if (address.host === "localhost") return
  const sentence = `${SETTINGS[name]}: the certificate of --https is for localhost, and not for ${address.host}`
  throw new CliError(ExitCode.fault, `${sentence}; use localhost:${address.port}`)
}
