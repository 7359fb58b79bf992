import { type CrossCheck, type Environment, readConfig } from "../common/config.ts"
import { faultOfPlainHttp, listenSettings } from "../common/listen-settings.ts"
import { logLevels } from "../common/log-levels.ts"
import { oneOf } from "../common/setting-kinds.ts"

const shape = {
  ...listenSettings,
  COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: oneOf(["true", "false"], "false"),
  COUNTERSIGN_LOG_LEVEL: oneOf(logLevels, "info"),
}

/** Everything this process is told; frozen. */
export type Config = ReturnType<typeof readAuthProxyConfig>

/** @throws ConfigError */
export function readAuthProxyConfig(environment: Environment) {
  const values = readConfig(shape, environment, check)
  return Object.freeze({
    listen: values.COUNTERSIGN_AUTH_PROXY_LISTEN,
    logLevel: values.COUNTERSIGN_LOG_LEVEL,
  })
}

const check: CrossCheck<typeof shape> = (values) =>
  faultOfPlainHttp(
    "AUTH_PROXY",
    values.COUNTERSIGN_AUTH_PROXY_LISTEN,
    values.COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY,
  )
