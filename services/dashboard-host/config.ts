import { faultsOfPlainUrl } from "../../signer/core/settings/production.ts"
import type { CrossCheck, Environment } from "../../signer/core/settings/settings.ts"
import {
  faultsOfPlainHttp,
  listenSettings,
  localUrl,
  logLevel,
  publicUrl,
  readServiceSettings,
  stopGrace,
  trueOrFalse,
} from "../common/settings.ts"

const shape = {
  ...listenSettings,
  COUNTERSIGN_API_PUBLIC_URL: publicUrl,
  COUNTERSIGN_AUTH_PROXY_PUBLIC_URL: publicUrl,
  COUNTERSIGN_DASHBOARD_BEHIND_PROXY: trueOrFalse,
  COUNTERSIGN_DASHBOARD_STOP_GRACE_SECONDS: stopGrace,
  COUNTERSIGN_LOG_LEVEL: logLevel,
}

const check: CrossCheck<typeof shape> = (values) =>
  faultsOfPlainHttp(
    "DASHBOARD",
    values.COUNTERSIGN_DASHBOARD_LISTEN,
    values.COUNTERSIGN_DASHBOARD_BEHIND_PROXY,
  )

const development: CrossCheck<typeof shape> = (values) =>
  (["COUNTERSIGN_API_PUBLIC_URL", "COUNTERSIGN_AUTH_PROXY_PUBLIC_URL"] as const).flatMap((name) =>
    faultsOfPlainUrl(name, values[name], "to browsers"),
  )

/** How the settings of the dashboard's host are read. */
export const dashboardHostSettings = { process: "dashboard", shape, check, development }

/** The settings of the dashboard's host, frozen. @throws {SettingsError} naming all faults at once */
export function readDashboardHostConfig(environment: Environment) {
  const values = readServiceSettings(dashboardHostSettings, environment)
  return Object.freeze({
    listen: values.COUNTERSIGN_DASHBOARD_LISTEN,
    /** Addresses as browsers know them. */
    apiUrl: values.COUNTERSIGN_API_PUBLIC_URL ?? localUrl(values.COUNTERSIGN_API_LISTEN),
    authProxyUrl: values.COUNTERSIGN_AUTH_PROXY_PUBLIC_URL ?? localUrl(values.COUNTERSIGN_AUTH_PROXY_LISTEN),
    stopGraceMs: values.COUNTERSIGN_DASHBOARD_STOP_GRACE_SECONDS * 1000,
    logLevel: values.COUNTERSIGN_LOG_LEVEL,
  })
}
