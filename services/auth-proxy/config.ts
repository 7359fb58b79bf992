import { join } from "node:path"
import { readPublicKeySet } from "../../signer/core/crypto/keyset.ts"
import {
  type CrossCheck,
  dataDirectoryOf,
  type Environment,
  invalid,
  optionalText,
  type Setting,
} from "../../signer/core/settings/settings.ts"
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
  COUNTERSIGN_AUTH_PROXY_API_URL: origin("http://localhost:8080"),
  COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: trueOrFalse,
  COUNTERSIGN_AUTH_PROXY_KEY_FILE: optionalText,
  COUNTERSIGN_AUTH_PROXY_METRICS_LISTEN: metricsAddress,
  COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY: keySet,
  COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS: stopGrace,
  COUNTERSIGN_LOG_LEVEL: logLevel,
}

/** The origin of an HTTP service, without a slash at the end. */
function origin(usual: string): Setting<string> {
  return (text = usual) => {
    const url = URL.parse(text)
    if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
    throw invalid("must be the address of the API, http://host:port or https://host, without a path")
  }
}

/** A key set's public form, lower-case hexadecimal; undefined when it is not set. */
function keySet(text: string | undefined): string | undefined {
  const publicHex = text?.toLowerCase()
  if (publicHex === undefined || readPublicKeySet(publicHex) !== undefined) return publicHex
  throw invalid("must be notarizerPublicKey of the signer's pins, 260 hexadecimal digits")
}

/** The auth proxy's settings, frozen. */
export type Config = ReturnType<typeof readAuthProxyConfig>

/** @throws {SettingsError} naming all faults at once */
export function readAuthProxyConfig(environment: Environment) {
  const values = readServiceSettings(shape, environment, check)
  return Object.freeze({
    listen: values.COUNTERSIGN_AUTH_PROXY_LISTEN,
    apiUrl: values.COUNTERSIGN_AUTH_PROXY_API_URL,
    keyFile:
      values.COUNTERSIGN_AUTH_PROXY_KEY_FILE ?? join(dataDirectoryOf(environment), "auth-proxy", "key"),
    notarizerPublicKey: values.COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY,
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
