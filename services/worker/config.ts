import {
  dataDirectoryOf,
  type Environment,
  type SettingValues,
  wholeNumber,
} from "../../signer/core/settings/settings.ts"
import { tokensSetting } from "../chains/assets.ts"
import { chainsSetting } from "../chains/chains.ts"
import { finalitySetting } from "../chains/finality.ts"
import {
  listenSettings,
  logLevel,
  metricsAddress,
  readServiceSettings,
  stopGrace,
  trueOrFalse,
} from "../common/settings.ts"
import { faultsOfTraces, readTracing, traceSettings } from "../common/tracing/settings.ts"
import { databaseSettings, faultsOfDatabase, readDatabase } from "../database/settings.ts"

const shape = {
  ...databaseSettings,
  ...listenSettings,
  ...traceSettings,
  COUNTERSIGN_CHAINS: chainsSetting,
  COUNTERSIGN_LOG_LEVEL: logLevel,
  COUNTERSIGN_TOKENS: tokensSetting,
  COUNTERSIGN_WORKER_BALANCE_CALLS_PER_SECOND: wholeNumber(20, 1, 1000),
  COUNTERSIGN_WORKER_BALANCE_SECONDS: wholeNumber(15, 1, 3600),
  COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: trueOrFalse,
  COUNTERSIGN_WORKER_WEBHOOK_TIMEOUT_SECONDS: wholeNumber(10, 1, 60),
  COUNTERSIGN_WORKER_CONFIRMATIONS: wholeNumber(1, 1, 1000),
  COUNTERSIGN_WORKER_FINALITY: finalitySetting,
  COUNTERSIGN_WORKER_METRICS_LISTEN: metricsAddress,
  COUNTERSIGN_WORKER_STOP_GRACE_SECONDS: stopGrace,
}

function check(values: Partial<SettingValues<typeof shape>>): string[] {
  return [...faultsOfDatabase(values), ...faultsOfTraces(values)]
}

function development({
  COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: local,
}: Partial<SettingValues<typeof shape>>): string[] {
  return local === "true"
    ? ["COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: receivers at local addresses are for development"]
    : []
}

/** How the worker's settings are read. */
export const workerSettings = { process: "worker", shape, check, development }

/** The worker's settings, frozen. */
export type WorkerSettings = ReturnType<typeof readWorkerConfig>

/** @throws {SettingsError} naming all faults at once */
export function readWorkerConfig(environment: Environment) {
  const values = readServiceSettings(workerSettings, environment)
  return Object.freeze({
    listen: values.COUNTERSIGN_WORKER_LISTEN,
    database: readDatabase(values, dataDirectoryOf(environment)),
    databaseWaitMs: values.COUNTERSIGN_DATABASE_WAIT_SECONDS * 1000,
    chains: values.COUNTERSIGN_CHAINS,
    tokens: values.COUNTERSIGN_TOKENS,
    balances: {
      everyMs: values.COUNTERSIGN_WORKER_BALANCE_SECONDS * 1000,
      callsPerSecond: values.COUNTERSIGN_WORKER_BALANCE_CALLS_PER_SECOND,
    },
    localWebhooks: values.COUNTERSIGN_WORKER_LOCAL_WEBHOOKS === "true",
    webhookTimeoutMs: values.COUNTERSIGN_WORKER_WEBHOOK_TIMEOUT_SECONDS * 1000,
    confirmations: values.COUNTERSIGN_WORKER_CONFIRMATIONS,
    finality: values.COUNTERSIGN_WORKER_FINALITY,
    metricsListen: values.COUNTERSIGN_WORKER_METRICS_LISTEN,
    tracing: readTracing(values),
    stopGraceMs: values.COUNTERSIGN_WORKER_STOP_GRACE_SECONDS * 1000,
    logLevel: values.COUNTERSIGN_LOG_LEVEL,
  })
}
