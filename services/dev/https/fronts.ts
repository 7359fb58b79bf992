import type { HostAndPort } from "../../../signer/core/settings/settings.ts"
import { writeAddress } from "../../../signer/core/settings/settings.ts"
import type { Layout } from "../layout.ts"
import { freeAddress } from "../port.ts"
import { localCertificate } from "./certificate.ts"
import { openFront } from "./front.ts"

/** Listeners that browsers and clients reach. */
const SERVED = ["api", "authProxy", "dashboard"] as const
type Served = Readonly<Record<(typeof SERVED)[number], HostAndPort>>

/** HTTPS before the listeners: addresses at which these listen, URLs at which callers reach them, and the authority to trust. */
export type Fronts = {
  listen: Served
  urls: Readonly<Record<(typeof SERVED)[number], string>>
  authorityFile: string
}

/** Opens HTTPS at the given addresses until the signal. @throws {CliError} */
export async function openFronts(
  addresses: Served,
  { layout, environment, signal }: { layout: Layout; environment: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<Fronts> {
  const certificate = await localCertificate(layout, environment, signal)
  const opened = await Promise.all(
    SERVED.map(async (name) => {
      const inner = await freeAddress("COUNTERSIGN_API_LISTEN", { host: "127.0.0.1", port: 0 })
      await openFront(addresses[name], inner, certificate, signal)
      return [name, inner, `https://${writeAddress(addresses[name])}`] as const
    }),
  )
  return {
    listen: Object.fromEntries(opened.map(([name, inner]) => [name, inner])) as unknown as Served,
    urls: Object.fromEntries(opened.map(([name, , url]) => [name, url])) as Fronts["urls"],
    authorityFile: certificate.authorityFile,
  }
}
