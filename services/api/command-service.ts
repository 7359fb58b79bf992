import type { Logger } from "../common/logger.ts"
import { closeDatabase, connectDatabase, type Database } from "../database/database.ts"
import { Jobs } from "../database/jobs.ts"
import type { ApiSettings } from "./config.ts"
import { migrateFirst } from "./migrate-first.ts"
import { createService, type Service } from "./service.ts"
import { SignerClient } from "./signer/client.ts"
import { connectFetcher } from "./signer/fetcher.ts"
import { openEndpoint } from "./signer/grpc-client.ts"
import { connectSigner } from "./signer/transport.ts"

/**
 * Gives a command the service of an API process that serves nobody, on a migrated database, beside running processes or
 * without them.
 *
 * @throws {StartError} when a certificate cannot be used
 */
export async function withService<Result>(
  config: ApiSettings,
  log: Logger,
  use: (service: Service, sql: Database) => Promise<Result>,
): Promise<Result> {
  const [ofSigner, ofFetcher] = [
    openEndpoint("signer", config.signer, log),
    openEndpoint("fetcher", config.fetcher, log),
  ]
  const sql = connectDatabase(config.database)
  const signer = new SignerClient(connectSigner(ofSigner))
  const fetcher = connectFetcher(ofFetcher)
  const jobs = new Jobs(config.database, { log, supervise: false })
  let service: Service | undefined
  try {
    await migrateFirst(config, log)
    const { activityTimes, bodyLimitBytes, chains } = config
    const sends = { chains, locksSql: sql, jobs }
    const parts = { sql, queriesSql: sql, signer, fetcher, log, activityTimes, bodyLimitBytes, sends }
    service = createService(parts)
    return await use(service, sql)
  } finally {
    await service?.close()
    fetcher.close()
    signer.close()
    await jobs.close()
    await closeDatabase(sql)
  }
}
