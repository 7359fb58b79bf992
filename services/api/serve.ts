import { setTimeout as pause } from "node:timers/promises"
import { listen } from "../common/listen.ts"
import { openTracing } from "../common/tracing/open-tracing.ts"
import { connectFetcher, type FetcherClient } from "./signer/fetcher.ts"
import { openEndpoint } from "./signer/grpc-client.ts"
import { createService, type Service } from "./service.ts"
import { openMetrics } from "./metrics/open-metrics.ts"
import { httpWitness } from "./signer/witness.ts"
import { SignerClient, systemClock } from "./signer/client.ts"
import { connectSigner } from "./signer/transport.ts"
import { closeDatabase, connectDatabase, LOCKS_POOL, QUERIES_POOL } from "../database/database.ts"
import { Jobs } from "../database/jobs.ts"
import { DatabaseSignals } from "../database/work-signals.ts"
import { providePoolFigures } from "../database/pool-figures.ts"
import { PoolWatch } from "../database/pool-watch.ts"
import { waitForDatabase } from "../database/wait-for-database.ts"
import { migrateFirst } from "./migrate-first.ts"
import type { Logger } from "../common/logger.ts"
import { serveUntilStopped, type Stop } from "../common/stop.ts"
import type { ApiSettings } from "./config.ts"

const RECOVERY_PAUSE_MS = 500

/** @throws {StartError} when a certificate cannot be used */
function openEndpoints({ signer, fetcher }: ApiSettings, log: Logger) {
  return {
    signer: openEndpoint("signer", signer, log),
    fetcher: openEndpoint("fetcher", fetcher, log),
  }
}

/** Opens connections in order of dependency and closes them in reverse, after running requests have ended. */
export async function serveApi(config: ApiSettings, log: Logger, stop: Stop): Promise<void> {
  const endpoints = openEndpoints(config, log)
  let service: Service | undefined
  const { metrics, close: closeMetrics } = await openMetrics(config.metricsListen, endpoints, log)
  const tracing = openTracing(config.tracing, { process: "api", log, metrics })
  // The next connection may lead to a database that was restored or failed over.
  const onClose = () => {
    metrics?.count("countersign_database_connections_lost_total")
    service?.databaseLost()
  }
  const {
    sql,
    queriesSql,
    locksSql,
    jobs,
    signals,
    pools,
    close: closePools,
  } = openPools(config, log, onClose)
  const watch = new PoolWatch({ config: config.database, pools, log })
  if (metrics) providePoolFigures(metrics, pools)
  try {
    const { database, databaseWaitMs: waitMs } = config
    await waitForDatabase({ config: database, waitMs, log, stop: stop.requested })
    if (stop.isRequested) return
    await migrateFirst(config, log)
    signals.start()
    const signer = new SignerClient(connectSigner(endpoints.signer), systemClock, (answer, seconds) =>
      metrics?.observe("countersign_signer_round_trip_seconds", seconds, { answer }),
    )
    // Connects on first use: most requests do not need the fetcher.
    const fetcher = connectFetcher(endpoints.fetcher)
    try {
      const sends = { chains: config.chains, tokens: config.tokens, locksSql, jobs }
      const settings = {
        ...serviceSettings(config, fetcher),
        sends,
        stop,
        metrics,
        tracer: tracing.tracer,
        signals,
      }
      const links = { signer: endpoints.signer.tls, fetcher: endpoints.fetcher.tls }
      service = createService({ sql, queriesSql, signer, fetcher, links, log, ...settings })
      const server = await listen({ handler: service.handler, log }, config.listen)
      log.info({ url: server.url }, "listening")
      const recovery = recoverUntilDone(service, log, stop.requested)
      const { closed } = await serveUntilStopped(server, stop, { graceMs: config.stopGraceMs, log })
      await Promise.all([closed, recovery])
    } finally {
      // Also after a start that failed: the connections that close below would start a comparison with the ledger.
      await service?.close()
      fetcher.close()
      signer.close()
    }
  } finally {
    watch.close()
    await closePools()
    await tracing.close()
    await closeMetrics()
  }
  log.info("stopped")
}

/** The connections to the database, by what they are for. */
function openPools(config: ApiSettings, log: Logger, onClose: () => void) {
  const sql = connectDatabase(config.database, { onClose })
  const queriesSql = connectDatabase(config.database, { ...QUERIES_POOL, onClose })
  const locksSql = connectDatabase(config.database, LOCKS_POOL)
  const jobs = new Jobs(config.database, { log, supervise: false })
  const signals = new DatabaseSignals(config.database, log)
  const pools = {
    requests: sql,
    queries: queriesSql,
    locks: locksSql,
    jobs: jobs.pool,
    signals: signals.pool,
  }
  const close = async () => {
    await jobs.close()
    await signals.close()
    await Promise.all([locksSql, queriesSql, sql].map((pool) => closeDatabase(pool)))
  }
  return { sql, queriesSql, locksSql, jobs, signals, pools, close }
}

/** The settings that the service takes as they are. */
function serviceSettings(config: ApiSettings, fetcher: Pick<FetcherClient, "witness">) {
  const { activityTimes, bodyLimitBytes, trustedProxies, unenforcedAllowlists, publicUrl, isLogPublic } =
    config
  const witnesses = config.witnesses.map((one) => (one === "fetcher" ? fetcher.witness : httpWitness(one)))
  return {
    activityTimes,
    bodyLimitBytes,
    trustedProxies,
    unenforcedAllowlists,
    publicUrl,
    isLogPublic,
    witnesses,
  }
}

/** Repeats until all outcomes are read. Requests are served meanwhile; readiness waits. A lasting fault is logged once. */
async function recoverUntilDone(service: Service, log: Logger, stop: AbortSignal): Promise<void> {
  let logged = ""
  while (!stop.aborted) {
    try {
      await service.recover()
      return
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error)
      if (fault !== logged)
        log.warn({ err: error }, "the signer's unacknowledged outcomes cannot be read yet")
      logged = fault
      await pause(RECOVERY_PAUSE_MS, undefined, { signal: stop }).catch(() => undefined)
    }
  }
}
