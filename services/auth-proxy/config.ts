import type { CrossCheck, Environment } from "../../signer/core/settings/settings.ts"
import {
  faultsOfPlainHttp,
  listenSettings,
  logLevel,
  metricsAddress,
  readServiceSettings,
  stopGrace,
  trueOrFalse,
} from "../common/settings.ts"

const shape = {
  ...listenSettings,
  COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: trueOrFalse,
  COUNTERSIGN_AUTH_PROXY_METRICS_LISTEN: metricsAddress,
  COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS: stopGrace,
  COUNTERSIGN_LOG_LEVEL: logLevel,
}

/** The auth proxy's settings, frozen. */
export type Config = ReturnType<typeof readAuthProxyConfig>

/** @throws {SettingsError} naming all faults at once */
export function readAuthProxyConfig(environment: Environment) {
  const values = readServiceSettings(shape, environment, check)
  return Object.freeze({
    listen: values.COUNTERSIGN_AUTH_PROXY_LISTEN,
    metricsListen: values.COUNTERSIGN_AUTH_PROXY_METRICS_LISTEN,
    stopGraceMs: values.COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS * 1000,
    logLevel: values.COUNTERSIGN_LOG_LEVEL,
  })
}

const check: CrossCheck<typeof shape> = (values) =>
  faultsOfPlainHttp(
    "AUTH_PROXY",
    values.COUNTERSIGN_AUTH_PROXY_LISTEN,
    values.COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY,
  )
