import type { RequestListener } from "node:http"
import type { Pins } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"
import type { ApiClient } from "../terminal-client/api-client.ts"
import { dashboardPages, serveDashboard } from "../common/serve-dashboard.ts"
import { buildApart } from "./build-apart.ts"
import { oneUseLink } from "../terminal-client/one-use-link.ts"
import { readKey } from "../terminal-client/key-folder.ts"
import { membersOf } from "../terminal-client/pins.ts"
import type { Settings } from "../terminal-client/settings.ts"
import type { DashboardReport } from "./report.ts"
import type { Seeded } from "./seed-files.ts"

export type DashboardStart = {
  listen: HostAndPort
  client: ApiClient
  /** URLs at which browsers reach the API, the auth proxy and the dashboard. */
  urls: { url: string; authProxyUrl: string; dashboardUrl: string }
  /** Undefined: there is no organization that a link could log in to. */
  seeded: Seeded | undefined
  pins: Pins
  settings: Settings
  log: (line: string) => void
}

/** The dashboard of a running system. `finish` builds its pages if need be, which the first request waits for. */
export type StartedDashboard = DashboardReport & { finish(): Promise<void> }

/**
 * Serves the dashboard from this process until the client's signal, with a one-use link for user root. Its pages wait for their
 * build, which begins when the system is ready: it takes as long as the whole start. Undefined: it could not be served, which
 * the log says, and the system runs without it.
 */
export async function startDashboard(
  start: DashboardStart,
  build: typeof buildApart = buildApart,
): Promise<StartedDashboard | undefined> {
  const { listen, urls, client, log } = start
  const { pages, finish } = pagesOf(start, build)
  try {
    const served = await serveDashboard(listen, pages)
    const close = () => void served.close()
    if (client.signal?.aborted) close()
    else client.signal?.addEventListener("abort", close, { once: true })
  } catch (error) {
    log(`there is no dashboard: ${sentenceOf(error)}`)
    return undefined
  }
  return { ...(await linkOf(start, urls.dashboardUrl)), finish }
}

/** Pages that are built once `finish` is called. A request before that waits. */
function pagesOf({ client, urls, pins, log }: DashboardStart, build: typeof buildApart) {
  const built = Promise.withResolvers<RequestListener>()
  // If the build fails, the log says so, and so does the answer to each request.
  built.promise.catch((error: unknown) => log(`there is no dashboard: ${sentenceOf(error)}`))
  const pages: RequestListener = (request, response) => {
    built.promise.then(
      (listener) => listener(request, response),
      (error: unknown) =>
        response
          .writeHead(503, { "Content-Type": "text/plain; charset=utf-8" })
          .end(`There is no dashboard: ${sentenceOf(error)}\n`),
    )
  }
  const finish = async () => {
    const config = { apiUrl: urls.url, authProxyUrl: urls.authProxyUrl, pins: membersOf(pins) }
    built.resolve((async () => dashboardPages(await build(log, client.signal), config))())
    await built.promise.catch(() => undefined)
  }
  return { pages, finish }
}

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

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
    log(`no link to the dashboard: ${sentenceOf(error)}`)
    return { url, isLink: false }
  }
}
