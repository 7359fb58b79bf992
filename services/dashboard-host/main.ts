import "../common/refuse-debugger.ts"
import { existsSync } from "node:fs"
import type { RequestListener } from "node:http"
import { join } from "node:path"
import { FAULT, StartError } from "../../signer/core/settings/start-fault.ts"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { requireIntactRelease } from "../common/intact-release.ts"
import { listen } from "../common/listen.ts"
import { createLogger, type Logger } from "../common/logger.ts"
import { dashboardPages } from "../common/serve-dashboard.ts"
import { readOrExit } from "../common/settings.ts"
import { logStartFault } from "../common/start-fault.ts"
import { serveUntilStopped, type Stop, STOPPING, stopOnSignals } from "../common/stop.ts"
import { readDashboardHostConfig } from "./config.ts"

/** Output folder of `npm run build:dashboard`. */
const BUILD = join(import.meta.dirname, "..", "dashboard", "dist")

exitWithParent()
await main()

async function main(): Promise<void> {
  const config = readOrExit(readDashboardHostConfig)
  const log = createLogger("dashboard", config.logLevel)
  try {
    requireIntactRelease("dashboard")
    await serve(config, log, stopOnSignals())
  } catch (error) {
    process.exitCode = logStartFault(log, error)
  }
}

/** Serves the build without pins: this host is not trusted, and pins of its own would vouch for its own lies. */
async function serve(
  { listen: at, apiUrl, authProxyUrl, stopGraceMs: graceMs }: ReturnType<typeof readDashboardHostConfig>,
  log: Logger,
  stop: Stop,
): Promise<void> {
  if (!existsSync(join(BUILD, "index.html")))
    throw new StartError(FAULT, `there is no build of the dashboard in ${BUILD}: npm run build:dashboard`)
  const pages = await dashboardPages(BUILD, { apiUrl, authProxyUrl })
  const listener = await listen({ handler: withHealth(pages, stop), log }, at)
  log.info({ url: listener.url, apiUrl, authProxyUrl }, "listening")
  const { closed } = await serveUntilStopped(listener, stop, { graceMs, log })
  await closed
  log.info("stopped")
}

/** The pages, and beside them /livez and /readyz. */
function withHealth(pages: RequestListener, stop: Stop): RequestListener {
  return (request, response) => {
    const { method, url } = request
    if (stop.isClosing) response.setHeader("Connection", "close")
    if (method !== "GET" || (url !== "/livez" && url !== "/readyz")) {
      pages(request, response)
      return
    }
    const isStopping = url === "/readyz" && stop.isRequested
    const state = url === "/livez" ? { live: true } : { ready: true }
    response
      .writeHead(isStopping ? 503 : 200, { "Content-Type": "application/json", "Cache-Control": "no-store" })
      .end(JSON.stringify(isStopping ? STOPPING : state))
  }
}
