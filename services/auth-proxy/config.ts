import { join } from "node:path"
import { readPublicKeySet } from "../../signer/core/crypto/keyset.ts"
import { commandSetting } from "../../signer/core/settings/argv.ts"
import { faultsOfPlainUrl, isProduction } from "../../signer/core/settings/production.ts"
import {
  type CrossCheck,
  dataDirectoryOf,
  type Environment,
  invalid,
  optionalText,
  path,
  type Setting,
  type SettingValues,
  wholeNumber,
} from "../../signer/core/settings/settings.ts"
import {
  addressBlocks,
  faultsOfPlainHttp,
  isLoopback,
  listenSettings,
  logLevel,
  metricsAddress,
  publicUrl,
  readableFile,
  readServiceSettings,
  stopGrace,
  trueOrFalse,
  word,
} from "../common/settings.ts"
import { faultsOfTraces, readTracing, traceSettings } from "../common/tracing/settings.ts"

/** Requests a second: far above what one process serves. */
const MAX_REQUESTS = 1_000_000

function shapeOf(dataDirectory: string) {
  return {
    ...listenSettings,
    ...traceSettings,
    COUNTERSIGN_AUTH_PROXY_API_URL: origin("http://localhost:8080"),
    COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: trueOrFalse,
    COUNTERSIGN_AUTH_PROXY_KEY_FILE: path(join(dataDirectory, "auth-proxy", "key")),
    COUNTERSIGN_AUTH_PROXY_METRICS_LISTEN: metricsAddress,
    COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY: keySet,
    COUNTERSIGN_AUTH_PROXY_PUBLIC_URL: publicUrl,
    COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_ADDRESS: wholeNumber(30, 1, MAX_REQUESTS),
    COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_CONFIGURATION: wholeNumber(500, 1, MAX_REQUESTS),
    COUNTERSIGN_AUTH_PROXY_SEAL_COMMAND: commandSetting,
    COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS: stopGrace,
    COUNTERSIGN_AUTH_PROXY_TRUSTED_PROXIES: addressBlocks,
    COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE: readableFile,
    COUNTERSIGN_AUTH_PROXY_TURNSTILE_SITE_KEY: optionalText,
    COUNTERSIGN_AUTH_PROXY_TURNSTILE_UNREACHABLE: word(["allow", "refuse"], "allow"),
    COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL: captchaUrl,
    COUNTERSIGN_AUTH_PROXY_UNSEAL_COMMAND: commandSetting,
    COUNTERSIGN_LOG_LEVEL: logLevel,
  }
}

type Shape = ReturnType<typeof shapeOf>

/** The origin of an HTTP service, without a slash at the end. */
function origin(usual: string): Setting<string> {
  return (text = usual) => {
    const url = URL.parse(text)
    if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
    throw invalid("must be the address of the API, http://host:port or https://host, without a path")
  }
}

/** Address of siteverify. Plain HTTP is for this host alone, as in tests. */
function captchaUrl(text = "https://challenges.cloudflare.com/turnstile/v0/siteverify"): string {
  const url = URL.parse(text)
  const isLocal = url?.protocol === "http:" && isLoopback({ host: url.hostname, port: 0 })
  const isBare = url?.username === "" && url.password === "" && url.hash === ""
  if (url !== null && (url.protocol === "https:" || isLocal) && isBare) return url.href
  throw invalid("must be the address of a captcha provider's siteverify, https://host/path")
}

/** A key set's public form, lower-case hexadecimal; undefined when it is not set. */
function keySet(text: string | undefined): string | undefined {
  const publicHex = text?.toLowerCase()
  if (publicHex === undefined || readPublicKeySet(publicHex) !== undefined) return publicHex
  throw invalid("must be notarizerPublicKey of the signer's pins, 260 hexadecimal digits")
}

/** How the auth proxy's settings are read. */
export const authProxySettings = (environment: Environment) => ({
  process: "auth proxy",
  shape: shapeOf(dataDirectoryOf(environment)),
  check,
  development,
})

/** The auth proxy's settings, frozen. */
export type AuthProxyServiceSettings = ReturnType<typeof readAuthProxyConfig>

/** @throws {SettingsError} naming all faults at once */
export function readAuthProxyConfig(environment: Environment) {
  const values = readServiceSettings(authProxySettings(environment), environment)
  return Object.freeze({
    isProduction: isProduction(environment),
    listen: values.COUNTERSIGN_AUTH_PROXY_LISTEN,
    publicUrl: values.COUNTERSIGN_AUTH_PROXY_PUBLIC_URL,
    apiUrl: values.COUNTERSIGN_AUTH_PROXY_API_URL,
    keyFile: values.COUNTERSIGN_AUTH_PROXY_KEY_FILE,
    sealCommand: values.COUNTERSIGN_AUTH_PROXY_SEAL_COMMAND,
    unsealCommand: values.COUNTERSIGN_AUTH_PROXY_UNSEAL_COMMAND,
    notarizerPublicKey: values.COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY,
    limits: {
      trustedProxies: values.COUNTERSIGN_AUTH_PROXY_TRUSTED_PROXIES,
      isBehindProxy: values.COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY === "true",
      perAddress: values.COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_ADDRESS,
      perConfiguration: values.COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_CONFIGURATION,
    },
    captcha: captchaOf(values),
    metricsListen: values.COUNTERSIGN_AUTH_PROXY_METRICS_LISTEN,
    tracing: readTracing(values),
    stopGraceMs: values.COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS * 1000,
    logLevel: values.COUNTERSIGN_LOG_LEVEL,
  })
}

/** Settings of the captcha provider; undefined: none is set. */
function captchaOf(values: SettingValues<Shape>) {
  const { COUNTERSIGN_AUTH_PROXY_TURNSTILE_SITE_KEY: siteKey } = values
  const { COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE: secretFile } = values
  if (siteKey === undefined || secretFile === undefined) return undefined
  return {
    siteKey,
    secretFile,
    url: values.COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL,
    allowsUnreachable: values.COUNTERSIGN_AUTH_PROXY_TURNSTILE_UNREACHABLE === "allow",
  }
}

const development: CrossCheck<Shape> = (values) => {
  const { COUNTERSIGN_AUTH_PROXY_API_URL: apiUrl, COUNTERSIGN_AUTH_PROXY_PUBLIC_URL: ownUrl } = values
  const isElsewhere = apiUrl !== undefined && !isLoopback({ host: new URL(apiUrl).hostname, port: 0 })
  return [
    ...(isElsewhere ? faultsOfPlainUrl("COUNTERSIGN_AUTH_PROXY_API_URL", apiUrl, "over a network") : []),
    ...faultsOfPlainUrl("COUNTERSIGN_AUTH_PROXY_PUBLIC_URL", ownUrl, "to browsers"),
    ...faultsOfPlainUrl(
      "COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL",
      values.COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL,
      "to a provider",
    ),
  ]
}

const check: CrossCheck<Shape> = (values) => {
  const { COUNTERSIGN_AUTH_PROXY_LISTEN: listen, COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: isBehindProxy } = values
  const faults = faultsOfPlainHttp("AUTH_PROXY", listen, isBehindProxy)
  const { COUNTERSIGN_AUTH_PROXY_TURNSTILE_SITE_KEY: siteKey } = values
  const { COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE: secretFile } = values
  if (siteKey !== undefined && secretFile === undefined)
    faults.push("COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE: needed with TURNSTILE_SITE_KEY")
  if (siteKey === undefined && secretFile !== undefined)
    faults.push("COUNTERSIGN_AUTH_PROXY_TURNSTILE_SITE_KEY: needed with TURNSTILE_SECRET_FILE")
  return [...faults, ...faultsOfTraces(values)]
}
