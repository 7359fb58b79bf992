import "../common/refuse-debugger.ts"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { listen } from "../common/listen.ts"
import { createLogger, type Logger } from "../common/logger.ts"
import { logStartFault } from "../common/start-fault.ts"
import { Metrics } from "../common/metrics/metrics.ts"
import { serveMetrics } from "../common/metrics/serve-metrics.ts"
import { serveUntilStopped, type Stop, stopOnSignals } from "../common/stop.ts"
import { readOrExit } from "../common/settings.ts"
import { createApp } from "./app.ts"
import { type Config, readAuthProxyConfig } from "./config.ts"
import { operationRoutes } from "./routes.ts"

exitWithParent()
await main()

async function main(): Promise<void> {
  const config = readOrExit(readAuthProxyConfig)
  const log = createLogger("auth-proxy", config.logLevel)
  try {
    await serve(config, log, stopOnSignals())
  } catch (error) {
    process.exitCode = logStartFault(log, error)
  }
}

async function serve(config: Config, log: Logger, stop: Stop): Promise<void> {
  const { metricsListen } = config
  const metrics = metricsListen && new Metrics()
  const handle = createApp(operationRoutes(), { log, stop, metrics }).callback()
  // Koa answers every error itself: its promise never rejects.
  const listener = await listen({ handler: (...both) => void handle(...both), log }, config.listen)
  const metricsListener = metrics && (await serveMetrics(metrics, metricsListen, log))
  log.info({ url: listener.url }, "listening")
  const { closed } = await serveUntilStopped(listener, stop, { graceMs: config.stopGraceMs, log })
  await closed
  await metricsListener?.close()
  log.info("stopped")
}
