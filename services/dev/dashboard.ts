import type { Pins } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"
import type { ApiClient } from "../terminal-client/api-client.ts"
import { serveDashboard } from "../common/serve-dashboard.ts"
import { localUrl } from "../common/settings.ts"
import { buildDashboard } from "./build-dashboard.ts"
import { oneUseLink } from "../terminal-client/one-use-link.ts"
import { readKey } from "../terminal-client/key-folder.ts"
import { membersOf } from "../terminal-client/pins.ts"
import type { Settings } from "../terminal-client/settings.ts"
import type { DashboardReport } from "./report.ts"
import type { Seeded } from "./seed-files.ts"

type DashboardStart = {
  listen: HostAndPort
  client: ApiClient
  authProxyUrl: string
  /** Undefined: there is no organization that a link could log in to. */
  seeded: Seeded | undefined
  pins: Pins
  settings: Settings
  log: (line: string) => void
}

/**
 * Serves the dashboard from this process until the client's signal, and returns a one-use link for user root. Undefined: it
 * could not be built or served, which the log says: the system runs without it.
 */
export async function startDashboard(start: DashboardStart): Promise<DashboardReport | undefined> {
  const { listen, client, authProxyUrl, pins, log } = start
  try {
    const folder = await buildDashboard(log)
    const served = await serveDashboard(listen, folder, {
      apiUrl: client.url,
      authProxyUrl,
      pins: membersOf(pins),
    })
    const close = () => void served.close()
    if (client.signal?.aborted) close()
    else client.signal?.addEventListener("abort", close, { once: true })
  } catch (error) {
    log(`there is no dashboard: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
  return linkOf(start, localUrl(listen))
}

/** Organization Dev's rules may have changed so that root can no longer log in: then the page asks for a credential. */
async function linkOf(
  { client, seeded, settings, log }: DashboardStart,
  url: string,
): Promise<DashboardReport> {
  if (seeded === undefined) return { url, isLink: false }
  try {
    const key = await readKey(settings.keysFolder, "root")
    return { url: await oneUseLink({ ...client, key }, seeded.organizationId, url), isLink: true }
  } catch (error) {
    client.signal?.throwIfAborted()
    log(`no link to the dashboard: ${error instanceof Error ? error.message : String(error)}`)
    return { url, isLink: false }
  }
}
