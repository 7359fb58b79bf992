import { join } from "node:path"
import {
  type CrossCheck,
  dataDirectoryOf,
  type Environment,
  invalid,
  originOf,
  type SettingValues,
  shownBy,
  wholeNumber,
} from "../../signer/core/settings/settings.ts"
import {
  addressBlocks,
  faultsOfPlainHttp,
  readableFile,
  listenSettings,
  logLevel,
  metricsAddress,
  publicUrl,
  readServiceSettings,
  separated,
  serviceAddress,
  stopGrace,
  trueOrFalse,
  word,
} from "../common/settings.ts"
import { faultsOfPlainUrl } from "../../signer/core/settings/production.ts"
import { MAX_BODY_BYTES } from "../../signer/core/wire.ts"
import { activityTimeSettings } from "./resources/time.ts"
import type { EndpointSettings } from "./signer/grpc-client.ts"
import { faultsOfMetricsPorts } from "./metrics-ports.ts"
import { isUuidInAnyCase } from "./store/uuid.ts"
import { tokensSetting } from "../chains/assets.ts"
import { chainsSetting } from "../chains/chains.ts"
import { faultsOfTraces, readTracing, traceSettings } from "../common/tracing/settings.ts"
import { databaseSettings, faultsOfDatabase, readDatabase } from "../database/settings.ts"

function shapeOf(dataDirectory: string) {
  return {
    ...databaseSettings,
    ...listenSettings,
    ...traceSettings,
    COUNTERSIGN_ACTIVITY_TIMES: word(activityTimeSettings, "auto"),
    COUNTERSIGN_API_BEHIND_PROXY: trueOrFalse,
    COUNTERSIGN_API_BODY_LIMIT_BYTES: wholeNumber(1024 * 1024, 1024, MAX_BODY_BYTES),
    COUNTERSIGN_API_IP_ALLOWLISTS_OFF: organizationIds,
    COUNTERSIGN_API_LOG_PUBLIC: word(["true", "false"], "true"),
    COUNTERSIGN_API_METRICS_LISTEN: metricsAddress,
    COUNTERSIGN_API_PROCESSES: wholeNumber(1, 1, 64),
    COUNTERSIGN_API_PUBLIC_URL: publicUrl,
    COUNTERSIGN_API_STOP_GRACE_SECONDS: stopGrace,
    COUNTERSIGN_API_TRUSTED_PROXIES: addressBlocks,
    COUNTERSIGN_API_WITNESSES: witnessUrls,
    COUNTERSIGN_CHAINS: chainsSetting,
    COUNTERSIGN_FETCHER_ADDRESS: serviceAddress(join(dataDirectory, "fetcher", "fetcher.sock")),
    COUNTERSIGN_FETCHER_CA_FILE: readableFile,
    COUNTERSIGN_FETCHER_CLIENT_CERTIFICATE_FILE: readableFile,
    COUNTERSIGN_FETCHER_CLIENT_KEY_FILE: readableFile,
    COUNTERSIGN_LOG_LEVEL: logLevel,
    COUNTERSIGN_SIGNER_ADDRESS: serviceAddress(join(dataDirectory, "signer", "signer.sock")),
    COUNTERSIGN_SIGNER_CA_FILE: readableFile,
    COUNTERSIGN_SIGNER_CLIENT_CERTIFICATE_FILE: readableFile,
    COUNTERSIGN_SIGNER_CLIENT_KEY_FILE: readableFile,
    COUNTERSIGN_TOKENS: tokensSetting,
  }
}

type Shape = ReturnType<typeof shapeOf>

/** The word for the fetcher, which is reached as for orders. */
const FETCHER = "fetcher"

/** Submission prefixes of witnesses and the fetcher, separated by commas. Plain HTTP is for this host alone. */
const witnessUrls = shownBy<readonly (URL | typeof FETCHER)[]>(
  (text = "") =>
    separated(text).map((one) => {
      if (one === FETCHER) return one
      const url = URL.canParse(one) ? new URL(one) : undefined
      const isLocal = url?.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
      if (
        url === undefined ||
        (url.protocol !== "https:" && !isLocal) ||
        url.search !== "" ||
        url.username !== "" ||
        url.password !== ""
      )
        throw invalid(
          "write URLs of witnesses, https:// (or http:// on this host), or the word fetcher, separated by commas",
        )
      return url
    }),
  (witnesses) => witnesses.map((one) => (one === FETCHER ? one : originOf(one))).join(", "),
)

/** Ids of organizations, separated by commas. */
function organizationIds(text = ""): ReadonlySet<string> {
  const ids = separated(text).map((id) => id.toLowerCase())
  if (!ids.every(isUuidInAnyCase)) throw invalid("write ids of organizations, separated by commas")
  return new Set(ids)
}

/** How the API's settings are read. */
export const apiSettings = (environment: Environment) => ({
  process: "api",
  shape: shapeOf(dataDirectoryOf(environment)),
  check,
  development,
})

/** The API's settings, frozen. */
export type ApiSettings = ReturnType<typeof readApiConfig>

/** @throws {SettingsError} naming all faults at once */
export function readApiConfig(environment: Environment) {
  const values = readServiceSettings(apiSettings(environment), environment)
  return Object.freeze({
    listen: values.COUNTERSIGN_API_LISTEN,
    signer: readEndpoint("SIGNER", values),
    fetcher: readEndpoint("FETCHER", values),
    database: readDatabase(values, dataDirectoryOf(environment)),
    databaseWaitMs: values.COUNTERSIGN_DATABASE_WAIT_SECONDS * 1000,
    activityTimes: values.COUNTERSIGN_ACTIVITY_TIMES,
    chains: values.COUNTERSIGN_CHAINS,
    tokens: values.COUNTERSIGN_TOKENS,
    bodyLimitBytes: values.COUNTERSIGN_API_BODY_LIMIT_BYTES,
    processes: values.COUNTERSIGN_API_PROCESSES,
    publicUrl: values.COUNTERSIGN_API_PUBLIC_URL,
    trustedProxies: values.COUNTERSIGN_API_TRUSTED_PROXIES,
    witnesses: values.COUNTERSIGN_API_WITNESSES,
    isLogPublic: values.COUNTERSIGN_API_LOG_PUBLIC === "true",
    unenforcedAllowlists: values.COUNTERSIGN_API_IP_ALLOWLISTS_OFF,
    metricsListen: values.COUNTERSIGN_API_METRICS_LISTEN,
    tracing: readTracing(values),
    stopGraceMs: values.COUNTERSIGN_API_STOP_GRACE_SECONDS * 1000,
    logLevel: values.COUNTERSIGN_LOG_LEVEL,
  })
}

const development: CrossCheck<Shape> = (values) =>
  faultsOfPlainUrl("COUNTERSIGN_API_PUBLIC_URL", values.COUNTERSIGN_API_PUBLIC_URL, "to callers")

const SERVICES = ["SIGNER", "FETCHER"] as const
const TLS_FILES = ["CA_FILE", "CLIENT_CERTIFICATE_FILE", "CLIENT_KEY_FILE"] as const

/** Over a network the API and a trusted process authenticate each other by certificates; there is no off switch. */
const check: CrossCheck<Shape> = (values) => {
  const { COUNTERSIGN_API_LISTEN: listen, COUNTERSIGN_API_BEHIND_PROXY: behindProxy } = values
  const faults = faultsOfPlainHttp("API", listen, behindProxy)
  for (const service of SERVICES) {
    const address = values[`COUNTERSIGN_${service}_ADDRESS`]
    if (address === undefined || address.startsWith("unix:")) continue
    const names = TLS_FILES.map((file) => `COUNTERSIGN_${service}_${file}` as const)
    const absent = names.filter((name) => name in values && values[name] === undefined)
    faults.push(...absent.map((name) => `${name}: needed for a ${service.toLowerCase()} at host:port`))
  }
  const { COUNTERSIGN_API_PROCESSES: processes, COUNTERSIGN_API_METRICS_LISTEN: metrics } = values
  faults.push(...faultsOfMetricsPorts(processes, metrics, listen), ...faultsOfDatabase(values))
  return [...faults, ...faultsOfTraces(values)]
}

function readEndpoint(service: (typeof SERVICES)[number], values: SettingValues<Shape>): EndpointSettings {
  const ca = values[`COUNTERSIGN_${service}_CA_FILE`]
  const certificate = values[`COUNTERSIGN_${service}_CLIENT_CERTIFICATE_FILE`]
  const key = values[`COUNTERSIGN_${service}_CLIENT_KEY_FILE`]
  return {
    address: values[`COUNTERSIGN_${service}_ADDRESS`],
    tls: ca && certificate && key ? { ca, certificate, key } : undefined,
  }
}
