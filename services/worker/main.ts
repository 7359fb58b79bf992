import "../common/refuse-debugger.ts"
import { getPriority, setPriority } from "node:os"
import { exitWithParent } from "../common/exit-with-parent.ts"
import { requireIntactRelease } from "../common/intact-release.ts"
import { listen } from "../common/listen.ts"
import { createLogger, type Logger } from "../common/logger.ts"
import { loadMetrics } from "../common/metrics/load-metrics.ts"
import { readOrExit } from "../common/settings.ts"
import { logStartFault } from "../common/start-fault.ts"
import { serveUntilStopped, type Stop, stopOnSignals } from "../common/stop.ts"
import { openTracing } from "../common/tracing/open-tracing.ts"
import { closeDatabase, connectDatabase } from "../database/database.ts"
import { Jobs } from "../database/jobs.ts"
import { providePoolFigures } from "../database/pool-figures.ts"
import { DatabaseSignals } from "../database/work-signals.ts"
import { PoolWatch } from "../database/pool-watch.ts"
import { databaseFaultOf } from "../database/start-fault.ts"
import { waitForDatabase } from "../database/wait-for-database.ts"
import { type WorkerSettings, readWorkerConfig } from "./config.ts"
import { pages } from "./pages.ts"
import { BalancePoller } from "./balances/poller.ts"
import { WebhookDeliverer } from "./webhooks/delivery.ts"
import { Poster } from "./webhooks/post.ts"
import { Worker } from "./worker.ts"

/** A niceness: where API and signer share a host with the worker, a signature does not wait for a backlog of notifications. */
const PRIORITY = 5

exitWithParent()
yieldToRequests()
await main()

function yieldToRequests(): void {
  try {
    // An operator may have started it with a greater one.
    setPriority(Math.max(PRIORITY, getPriority()))
  } catch {
    // A sandbox may forbid it: the worker works as well without.
  }
}

async function main(): Promise<void> {
  const config = readOrExit(readWorkerConfig)
  const log = createLogger("worker", config.logLevel)
  try {
    requireIntactRelease("worker")
    await serve(config, log, stopOnSignals())
  } catch (error) {
    process.exitCode = logStartFault(log, error, databaseFaultOf(error, config.database))
  }
}

/** Opens connections in order of dependency and closes them in reverse, after the steps under way have ended. */
async function serve(config: WorkerSettings, log: Logger, stop: Stop): Promise<void> {
  const { metricsListen } = config
  const loaded = metricsListen && (await loadMetrics())
  const metrics = loaded?.metrics
  const sql = connectDatabase(config.database, { applicationName: "countersign-worker" })
  const jobs = new Jobs(config.database, { log, supervise: true })
  const signals = new DatabaseSignals(config.database, log)
  const pools = { worker: sql, jobs: jobs.pool, signals: signals.pool }
  const watch = new PoolWatch({ config: config.database, pools, log })
  if (metrics) providePoolFigures(metrics, pools)
  const tracing = openTracing(config.tracing, { process: "worker", log, metrics })
  const { tracer } = tracing
  const timeoutMs = config.webhookTimeoutMs
  const poster = new Poster({ isLocal: config.localWebhooks, timeoutMs })
  const webhooks = new WebhookDeliverer({ sql, poster, log, metrics, tracer, timeoutMs, signals })
  const { chains, tokens, confirmations, finality } = config
  const reading = { sql, log, signals, chains, confirmations, finality }
  const balances = new BalancePoller({ ...reading, tokens, ...config.balances })
  const worker = new Worker({ ...reading, webhooks, balances, jobs, metrics, tracer })
  try {
    const { database, databaseWaitMs: waitMs } = config
    await waitForDatabase({ config: database, waitMs, log, stop: stop.requested })
    if (stop.isRequested) return
    const listener = await listen({ handler: pages(() => worker.readiness(), stop), log }, config.listen)
    const metricsListener = loaded && (await loaded.serveMetrics(loaded.metrics, metricsListen, log))
    log.info({ url: listener.url, chains: [...config.chains.keys()] }, "listening")
    signals.start()
    worker.start()
    const { closed } = await serveUntilStopped(listener, stop, { graceMs: config.stopGraceMs, log })
    await Promise.all([closed, worker.close()])
    await metricsListener?.close()
  } finally {
    watch.close()
    await worker.close()
    await tracing.close()
    await signals.close()
    await closeDatabase(sql)
  }
  log.info("stopped")
}
