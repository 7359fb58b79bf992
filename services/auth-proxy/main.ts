import "../common/refuse-debugger.ts"
import { once } from "node:events"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { listen } from "../common/listen.ts"
import { createLogger, type Logger } from "../common/logger.ts"
import { logStartFault } from "../common/start-fault.ts"
import { readOrExit } from "../common/settings.ts"
import { createApp } from "./app.ts"
import { type Config, readAuthProxyConfig } from "./config.ts"
import { operationRoutes } from "./routes.ts"

exitWithParent()
await main()

async function main(): Promise<void> {
  const config = readOrExit(readAuthProxyConfig)
  const log = createLogger("auth-proxy", config.logLevel)
  const stopping = new AbortController()
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => stopping.abort())
  try {
    await serve(config, log, stopping.signal)
  } catch (error) {
    process.exitCode = logStartFault(log, error)
  }
}

async function serve(config: Config, log: Logger, stop: AbortSignal): Promise<void> {
  const handle = createApp(operationRoutes(), log).callback()
  // Koa answers every error itself: its promise never rejects.
  const listener = await listen({ handler: (...both) => void handle(...both), log }, config.listen)
  log.info({ url: listener.url }, "listening")
  if (!stop.aborted) await once(stop, "abort")
  log.info("stopping: no new requests, finishing those under way")
  await listener.close()
  log.info("stopped")
}
